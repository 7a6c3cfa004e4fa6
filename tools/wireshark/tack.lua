-- Wireshark dissector for TACK: its three TCP options, and the bodies of TACKs and IACKs.
--
-- The options are those of figure 8 of the paper, as kinds 40 to 42 or in the experimental form of RFC 6994; the bodies are described in
-- the documentation of `ackless_tcp::tack::body::codec`, whose reader this file follows. It is a postdissector: TCP is
-- dissected as ever, and this stands behind it. See README.md beside this file.

local tack = Proto("tack", "TACK")

local types = {
    [1] = "TACK",
    [2] = "IACK: loss",
    [3] = "IACK: window",
    [4] = "IACK: round trip",
    [5] = "IACK: frequency",
}
local forms = {
    [0] = "Report",
    [1] = "Loss",
    [2] = "Frequency update",
    [3] = "Request for a round trip",
}

local f = {
    permitted = ProtoField.none("tack.permitted", "TACK-Permitted"),
    ack_type = ProtoField.uint8("tack.ack_type", "ACK-Type", base.DEC, types),
    number = ProtoField.uint32("tack.packet_number", "PKT.SEQ"),
    beta = ProtoField.uint16("tack.beta", "Wanted beta"),
    every = ProtoField.uint16("tack.l", "Wanted L"),
    experimental = ProtoField.bool("tack.experimental", "In the experimental form of RFC 6994"),
    body = ProtoField.none("tack.body", "Body"),
    version = ProtoField.uint8("tack.version", "Version"),
    form = ProtoField.uint8("tack.form", "Form", base.DEC, forms),
    flags = ProtoField.uint8("tack.flags", "Flags", base.HEX),
    limited = ProtoField.bool("tack.flags.application_limited", "Limited by the application", 8, nil, 0x10),
    has_hol = ProtoField.bool("tack.flags.hol", "HOL.SEQ", 8, nil, 0x08),
    has_loss = ProtoField.bool("tack.flags.loss", "Loss rate", 8, nil, 0x04),
    has_interval = ProtoField.bool("tack.flags.interval", "TACK interval", 8, nil, 0x02),
    has_window = ProtoField.bool("tack.flags.window", "Congestion window", 8, nil, 0x01),
    bubbles = ProtoField.uint16("tack.bubbles", "Number of bubbles"),
    serial = ProtoField.uint32("tack.serial", "Serial"),
    largest = ProtoField.uint32("tack.largest", "Largest PKT.SEQ"),
    second = ProtoField.uint32("tack.second", "Second largest PKT.SEQ"),
    largest_delay = ProtoField.uint32("tack.largest_delay", "Delay of that packet (us)"),
    delay = ProtoField.uint32("tack.delay", "TACK delay (us)"),
    rate = ProtoField.uint32("tack.delivery_rate", "Delivery rate (kbit/s)"),
    in_flight = ProtoField.uint32("tack.received_in_flight", "Received in-flight data"),
    window = ProtoField.uint32("tack.window", "Congestion window"),
    interval = ProtoField.uint32("tack.interval", "TACK interval (us)"),
    loss = ProtoField.uint32("tack.loss_ppm", "Lost packets in a million"),
    hol = ProtoField.uint32("tack.hol", "HOL.SEQ, bytes above the acknowledgement number"),
    from = ProtoField.uint32("tack.bubble.start", "Bubble from, bytes above the acknowledgement number"),
    to = ProtoField.uint32("tack.bubble.end", "Bubble up to, bytes above the acknowledgement number"),
    min_rtt = ProtoField.uint32("tack.min_rtt", "Least round-trip time (us)"),
    bandwidth = ProtoField.uint32("tack.bandwidth", "Greatest delivery rate (kbit/s)"),
    ack_loss = ProtoField.uint32("tack.ack_loss_ppm", "Lost TACKs in a million"),
}
local fields = {}
for _, field in pairs(f) do
    fields[#fields + 1] = field
end
tack.fields = fields

local malformed = ProtoExpert.new(
    "tack.malformed", "The payload of a TACK or IACK is no body", expert.group.MALFORMED, expert.severity.ERROR
)
tack.experts = { malformed }

local tcp_options = Field.new("tcp.options")
local tcp_payload = Field.new("tcp.payload")

local PERMITTED, ACK_TYPE, PACKET_NUMBER = 40, 41, 42
local EXPERIMENT, EXPERIMENT_IDS = 253, 0x7a
local VERSION = 2
local REPORT, LOSS, FREQUENCY, REQUEST = 0, 1, 2, 3
local MILLION = 1000000

-- One option of ours, if it is: adds it to what was found.
local function option(found, which, value, experimental)
    local lengths = { [PERMITTED] = 0, [ACK_TYPE] = 1, [PACKET_NUMBER] = 4 }
    local len = value and value:len() or 0
    if lengths[which] ~= len then
        return
    end
    found[#found + 1] = { which = which, value = value, experimental = experimental }
end

-- Walks through the options of a header; those of TACK, in their order.
local function options(range)
    local found, at, last = {}, 0, range:len()
    while at < last do
        local kind = range(at, 1):uint()
        if kind == 0 then
            break
        elseif kind == 1 then
            at = at + 1
        else
            if at + 2 > last then
                break
            end
            local len = range(at + 1, 1):uint()
            if len < 2 or at + len > last then
                break
            end
            local value = len > 2 and range(at + 2, len - 2) or nil
            if kind >= PERMITTED and kind <= PACKET_NUMBER then
                option(found, kind, value, false)
            elseif kind == EXPERIMENT and len >= 4 and value(0, 1):uint() == EXPERIMENT_IDS then
                option(found, value(1, 1):uint(), len > 4 and value(2, len - 4) or nil, true)
            end
            at = at + len
        end
    end
    return found
end

local function share(range)
    if range:uint() > MILLION then
        error("more than all are lost", 0)
    end
end

local function nonzero(range)
    if range:uint() == 0 then
        error("a field that is left out where it is zero", 0)
    end
end

-- How far one number lies ahead of another, modulo 2^32: from -2^31 to 2^31 - 1.
local function ahead(a, b)
    local distance = (a - b) % 0x100000000
    return distance < 0x80000000 and distance or distance - 0x100000000
end

-- Reads the body of a segment of this type into the tree. Raises the reason where it is none.
local function body(tree, ack_type, range)
    if range:len() < 4 then
        error("shorter than the first four bytes", 0)
    end
    local version, form = range(0, 1):bitfield(0, 4), range(0, 1):bitfield(4, 4)
    local flags, bubbles = range(1, 1):uint(), range(2, 2):uint()
    tree:add(f.version, range(0, 1), version)
    tree:add(f.form, range(0, 1), form)
    local flag_tree = tree:add(f.flags, range(1, 1))
    for _, field in ipairs({ f.limited, f.has_hol, f.has_loss, f.has_interval, f.has_window }) do
        flag_tree:add(field, range(1, 1))
    end
    tree:add(f.bubbles, range(2, 2))
    if version ~= VERSION or flags > 0x1f or form > REQUEST or (form ~= REPORT and (flags ~= 0 or bubbles ~= 0)) then
        error("another version, form or flag than the known ones", 0)
    end
    local allowed = {
        [REPORT] = { [1] = true, [3] = true, [4] = true },
        [LOSS] = { [2] = true },
        [FREQUENCY] = { [5] = true },
        [REQUEST] = { [4] = true },
    }
    if not allowed[form][ack_type] then
        error("the form does not go with the ACK-Type", 0)
    end

    local function has(bit)
        return math.floor(flags / bit) % 2 == 1
    end
    local words
    if form == REPORT then
        words = { { f.serial }, { f.largest }, { f.largest_delay }, { f.delay }, { f.rate }, { f.in_flight } }
        if has(0x01) then
            words[#words + 1] = { f.window, nonzero }
        end
        if has(0x02) then
            words[#words + 1] = { f.interval, nonzero }
        end
        if has(0x04) then
            words[#words + 1] = { f.loss, nonzero, share }
        end
        if has(0x08) then
            words[#words + 1] = { f.hol, nonzero }
        elseif bubbles > 0 then
            error("bubbles without a first one", 0)
        end
    elseif form == LOSS then
        words = { { f.largest }, { f.second } }
    elseif form == FREQUENCY then
        words = { { f.serial }, { f.interval }, { f.min_rtt }, { f.bandwidth }, { f.ack_loss, share } }
    else
        words = {}
    end
    -- Of a report that was cut short the bubbles are read as far as they go.
    local room = range:len() - 4 - 4 * #words
    if room < 0 or room > 8 * bubbles then
        error("another length than the first four bytes announce", 0)
    end
    bubbles = math.floor(room / 8)
    for n, word in ipairs(words) do
        local at = range(4 * n, 4)
        tree:add(word[1], at)
        for check = 2, #word do
            word[check](at)
        end
    end
    if form == LOSS and ahead(range(4, 4):uint(), range(8, 4):uint()) < 2 then
        error("no number lies between the two", 0)
    end
    for n = 0, bubbles - 1 do
        local at = 4 + 4 * #words + 8 * n
        tree:add(f.from, range(at, 4))
        tree:add(f.to, range(at + 4, 4))
        if range(at + 4, 4):uint() <= range(at, 4):uint() then
            error("a bubble with nothing in it", 0)
        end
    end
end

function tack.dissector(_, pinfo, root)
    local raw = tcp_options()
    if not raw then
        return
    end
    local found = options(raw.range)
    if #found == 0 then
        return
    end
    local tree = root:add(tack, raw.range)
    local ack_type, permitted
    for _, item in ipairs(found) do
        if item.which == PERMITTED then
            tree:add(f.permitted, raw.range)
            permitted = true
        elseif item.which == ACK_TYPE then
            tree:add(f.ack_type, item.value)
            ack_type = item.value:uint()
        elseif permitted then
            -- On a SYN, which has no number. TACK-Permitted stands in front.
            tree:add(f.beta, item.value(0, 2))
            tree:add(f.every, item.value(2, 2))
        else
            tree:add(f.number, item.value)
        end
        tree:add(f.experimental, raw.range, item.experimental)
    end
    if not ack_type then
        return
    end
    tree:append_text(": " .. (types[ack_type] or ("IACK of type " .. ack_type)))
    if not types[ack_type] then
        return
    end
    local payload = tcp_payload()
    if not payload then
        tree:add_proto_expert_info(malformed, "No payload")
        return
    end
    local sub = tree:add(f.body, payload.range)
    local ok, reason = pcall(body, sub, ack_type, payload.range)
    if not ok then
        sub:add_proto_expert_info(malformed, tostring(reason))
    end
end

register_postdissector(tack)
