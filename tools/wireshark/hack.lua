-- Wireshark dissector for HACK: compressed TCP ACKs between an 802.11 Ack or BlockAck and its FCS.
--
-- The bytes are described in the documentation of `ackless_rohc::hack`; this file follows its tables. It knows no
-- contexts: it shows what each code says about the ACK before it, not the ACK. Checks are shown and not verified. See
-- README.md beside this file.

local hack = Proto("hack", "HACK, compressed TCP ACKs")

-- A capture does not say whether a code under a key was agreed on.
hack.prefs.mic = Pref.enum(
    "Code under a key", 0, "How many bytes of it, behind a count of two bytes, end what is appended",
    { { 0, "0", 0 }, { 1, "4", 4 }, { 2, "8", 8 } }, false
)
-- Nor how ACKs are said.
hack.prefs.codec = Pref.enum(
    "Codec", 0, "Codes, codes with the TCP checksum behind each, or packets of RFC 6846",
    { { 0, "own", 0 }, { 1, "own-checksum", 1 }, { 2, "rfc6846", 2 } }, false
)
local OWN_CHECKSUM, RFC6846 = 1, 2
-- Nor how long the MSN in front of a run is.
hack.prefs.msn_bits = Pref.enum(
    "Bits of the MSN", 0, "How many bits of the MSN stand in front of the codes of a context",
    { { 0, "8", 0 }, { 1, "16", 1 } }, false
)

local steps = {
    [0] = "as before",
    [1] = "moved by the last stride",
    [2] = "moved by the stride before",
    [3] = "as before, first SACK block grew as it last did",
}
local advances = { [0] = steps[0], [1] = steps[1], [2] = steps[2], [3] = "moved as said" }

local f = {
    run = ProtoField.none("hack.run", "Run"),
    cid = ProtoField.uint8("hack.cid", "Context identifier", base.HEX),
    first = ProtoField.uint16("hack.first_msn", "MSN of the first code"),
    count = ProtoField.uint16("hack.count", "Codes"),
    code = ProtoField.bytes("hack.code", "Code"),
    msn = ProtoField.uint16("hack.msn", "MSN"),
    kind = ProtoField.string("hack.kind", "Form"),
    crc3 = ProtoField.uint8("hack.crc3", "CRC-3", base.HEX),
    crc7 = ProtoField.uint8("hack.crc7", "CRC-7", base.HEX),
    step = ProtoField.uint8("hack.step", "Acknowledgment number", base.DEC, steps),
    advance = ProtoField.uint8("hack.advance", "Acknowledgment number", base.DEC, advances),
    ack = ProtoField.uint32("hack.ack", "Acknowledgment number moved by"),
    tsval = ProtoField.uint32("hack.tsval", "TSval moved by"),
    tsecr = ProtoField.uint32("hack.tsecr", "TSecr moved by"),
    window = ProtoField.int32("hack.window", "Window moved by"),
    ip_id = ProtoField.uint16("hack.ip_id", "IPv4 identification", base.HEX),
    seq = ProtoField.int32("hack.seq", "Sequence number moved by"),
    toggled = ProtoField.uint8("hack.toggled", "Toggled", base.HEX),
    ece = ProtoField.bool("hack.toggled.ece", "ECE", 8, nil, 0x01),
    cwr = ProtoField.bool("hack.toggled.cwr", "CWR", 8, nil, 0x02),
    df = ProtoField.bool("hack.toggled.df", "Don't Fragment", 8, nil, 0x04),
    dscp_ecn = ProtoField.uint8("hack.dscp_ecn", "DSCP and ECN", base.HEX),
    ttl = ProtoField.uint8("hack.ttl", "TTL or hop limit"),
    flow_label = ProtoField.uint24("hack.flow_label", "Flow label", base.HEX),
    urgent = ProtoField.uint16("hack.urgent", "Urgent pointer"),
    options = ProtoField.uint8("hack.options", "Options", base.HEX),
    has_mss = ProtoField.bool("hack.options.mss", "MSS", 8, nil, 0x80),
    has_sack_permitted = ProtoField.bool("hack.options.sack_permitted", "SACK permitted", 8, nil, 0x40),
    has_scale = ProtoField.bool("hack.options.window_scale", "Window scale", 8, nil, 0x20),
    has_stamps = ProtoField.bool("hack.options.timestamps", "Timestamps", 8, nil, 0x10),
    mss = ProtoField.uint16("hack.mss", "MSS"),
    scale = ProtoField.uint8("hack.window_scale", "Window scale shift"),
    blocks = ProtoField.uint8("hack.sack.count", "SACK blocks"),
    same = ProtoField.uint8("hack.sack.same", "SACK block of before at place"),
    grown = ProtoField.uint8("hack.sack.grown", "SACK block of before, grown, at place"),
    growth = ProtoField.uint32("hack.sack.growth", "Right edge moved by"),
    left = ProtoField.int32("hack.sack.left", "New SACK block, left edge from the acknowledgment number"),
    len = ProtoField.uint32("hack.sack.len", "Length"),
    checksum = ProtoField.uint16("hack.checksum", "TCP checksum", base.HEX),
    packets = ProtoField.bytes("hack.packets", "Packets of RFC 6846"),
    mic_count = ProtoField.uint16("hack.mic.count", "Count of answers, low 16 bits"),
    mic = ProtoField.bytes("hack.mic", "Code under a key"),
    sync = ProtoField.bool("hack.sync", "SYNC"),
}
local fields = {}
for _, field in pairs(f) do
    fields[#fields + 1] = field
end
hack.fields = fields

local malformed = ProtoExpert.new(
    "hack.malformed", "Appended bytes are no HACK frame", expert.group.MALFORMED, expert.severity.ERROR
)
hack.experts = { malformed }

local END = 0xff
local MAX_CODES = 127
-- With 16 bits of MSN.
local MAX_CODES_WIDE = 4060
local MAX_FRAME = 4063
-- The bytes of the count in front of a code under a key.
local COUNT = 2

-- A reader: the bytes, where it stands, and where they end. What cannot be read raises a table with the reason and
-- place.
local Reader = {}
Reader.__index = Reader

local function refuse(at, reason)
    error({ at = at, reason = reason }, 0)
end

function Reader:range(n)
    if self.at + n > self.last then
        refuse(self.at, "the bytes end within a code")
    end
    local range = self.tvb(self.at, n)
    self.at = self.at + n
    return range
end

-- A number in its shortest form; its value and its range.
function Reader:number()
    local start = self.at
    local first = self:range(1):uint()
    -- First bytes below this, with so many bytes behind them, are for numbers from this on.
    local lengths = {
        { 0x80, 0, 0 }, { 0xc0, 1, 0x80 }, { 0xe0, 2, 0x4000 }, { 0xf0, 3, 0x200000 }, { 0xf1, 4, 0x10000000 },
    }
    local below = 0
    for _, length in ipairs(lengths) do
        if first < length[1] then
            local n = first - below
            for _ = 1, length[2] do
                n = n * 256 + self:range(1):uint()
            end
            if n < length[3] then
                refuse(start, "a number is longer than needed")
            end
            return n, self.tvb(start, self.at - start)
        end
        below = length[1]
    end
    refuse(start, "no number begins so")
end

function Reader:signed()
    local n, range = self:number()
    if n % 2 == 0 then
        return math.floor(n / 2), range
    end
    return -math.floor((n + 1) / 2), range
end

local function nonzero(n, range)
    if n == 0 then
        refuse(range:offset(), "a field that says nothing")
    end
    return n, range
end

local function add_number(tree, field, n, range)
    tree:add(field, range, n)
end

-- The codes of one and two bytes.
local function compact(reader, tree)
    local range = reader:range(1)
    tree:add(f.step, range, range:bitfield(1, 2))
    tree:add(f.tsval, range, range:bitfield(3, 1))
    tree:add(f.tsecr, range, range:bitfield(4, 1))
    tree:add(f.crc3, range, range:bitfield(5, 3))
end

local function stamps(reader, tree)
    local range = reader:range(2)
    local value, echo = range:bitfield(5, 4), range:bitfield(9, 4)
    if value < 2 and echo < 2 then
        refuse(range:offset(), "a shorter code says this")
    end
    tree:add(f.step, range, range:bitfield(3, 2))
    tree:add(f.tsval, range, value)
    tree:add(f.tsecr, range, echo)
    tree:add(f.crc3, range, range:bitfield(13, 3))
end

local function window(reader, tree)
    local range = reader:range(2)
    local moved = range:bitfield(6, 7)
    tree:add(f.step, range, range:bitfield(4, 2))
    tree:add(f.window, range, moved >= 64 and moved - 128 or moved + 1)
    tree:add(f.crc3, range, range:bitfield(13, 3))
end

local function sack(reader, tree)
    local start = reader.at
    local forms = reader:range(1)
    local count = forms:bitfield(0, 3)
    if count > 4 then
        refuse(start, "more than four SACK blocks")
    end
    if count > 1 then
        reader:range(1)
        forms = reader.tvb(start, 2)
    end
    local bits = forms:len() * 8
    local used = 3 + 3 * count
    if used < bits and forms:bitfield(used, bits - used) ~= 0 then
        refuse(start, "padding that is not zero")
    end
    tree:add(f.blocks, forms, count)
    for n = 0, count - 1 do
        local form = forms:bitfield(3 + 3 * n, 3)
        if form < 4 then
            tree:add(f.same, forms, form)
        elseif form == 4 then
            local number, range = reader:number()
            local growth = math.floor(number / 4)
            nonzero(growth, range)
            if growth >= 0x10000000 then
                refuse(range:offset(), "a SACK block that grows too far")
            end
            tree:add(f.grown, range, number % 4)
            add_number(tree, f.growth, growth, range)
        elseif form == 5 then
            add_number(tree, f.left, reader:signed())
            add_number(tree, f.len, reader:number())
        else
            refuse(start, "no SACK block has this form")
        end
    end
end

local function rare(reader, tree, map)
    if map:bitfield(0, 1) == 1 then
        add_number(tree, f.seq, nonzero(reader:signed()))
    end
    if map:bitfield(1, 1) == 1 then
        local range = reader:range(1)
        if range:uint() == 0 or range:uint() > 7 then
            refuse(range:offset(), "nothing, or nothing known, is toggled")
        end
        local toggled = tree:add(f.toggled, range)
        for _, field in ipairs({ f.ece, f.cwr, f.df }) do
            toggled:add(field, range)
        end
    end
    if map:bitfield(2, 1) == 1 then
        tree:add(f.dscp_ecn, reader:range(1))
    end
    if map:bitfield(3, 1) == 1 then
        tree:add(f.ttl, reader:range(1))
    end
    if map:bitfield(4, 1) == 1 then
        local range = reader:range(3)
        if range:uint() > 0xfffff then
            refuse(range:offset(), "a flow label of more than 20 bits")
        end
        tree:add(f.flow_label, range)
    end
    if map:bitfield(5, 1) == 1 then
        tree:add(f.urgent, reader:range(2))
    end
    if map:bitfield(6, 1) == 1 then
        local range = reader:range(1)
        if range:bitfield(4, 4) ~= 0 then
            refuse(range:offset(), "an option that is not known")
        end
        local options = tree:add(f.options, range)
        for _, field in ipairs({ f.has_mss, f.has_sack_permitted, f.has_scale, f.has_stamps }) do
            options:add(field, range)
        end
        if range:bitfield(0, 1) == 1 then
            tree:add(f.mss, reader:range(2))
        end
        if range:bitfield(2, 1) == 1 then
            tree:add(f.scale, reader:range(1))
        end
    end
end

-- The codes of any length.
local function delta(reader, tree)
    local range = reader:range(2)
    local advance = range:bitfield(2, 2)
    tree:add(f.advance, range(0, 1), advance)
    tree:add(f.crc7, range(1, 1), range:bitfield(9, 7))
    local map
    if range:bitfield(8, 1) == 1 then
        map = reader:range(1)
        nonzero(map:uint(), map)
        if map:bitfield(7, 1) == 1 then
            refuse(map:offset(), "a field that is not known")
        end
    end
    if advance == 3 then
        add_number(tree, f.ack, nonzero(reader:number()))
    end
    if range:bitfield(4, 1) == 1 then
        local value, value_range = reader:number()
        local echo, echo_range = reader:number()
        nonzero(value + echo, value_range)
        add_number(tree, f.tsval, value, value_range)
        add_number(tree, f.tsecr, echo, echo_range)
    end
    if range:bitfield(5, 1) == 1 then
        local moved, moved_range = nonzero(reader:signed())
        if moved < -32768 or moved > 32767 then
            refuse(moved_range:offset(), "a window that moves too far")
        end
        add_number(tree, f.window, moved, moved_range)
    end
    if range:bitfield(6, 1) == 1 then
        tree:add(f.ip_id, reader:range(2))
    end
    if range:bitfield(7, 1) == 1 then
        sack(reader, tree)
    end
    if map then
        rare(reader, tree, map)
    end
end

-- The form of the code that begins here.
local function form(reader)
    local first = reader.tvb(reader.at, 1):uint()
    if first < 0x80 then
        return "Compact", compact
    elseif first < 0xc0 then
        if reader.at + 1 >= reader.last then
            refuse(reader.at, "the bytes end within a code")
        end
        local more = reader.tvb(reader.at + 1, 1):uint() >= 0x80
        return more and "Extended" or "Delta", delta
    elseif first < 0xe0 then
        return "Stamps", stamps
    elseif first < 0xf0 then
        return "Window", window
    end
    refuse(reader.at, "no code begins so")
end

-- A tree that shows nothing.
local nowhere = {}
function nowhere:add()
    return self
end

-- The head of a run with so many bytes of MSN: where it starts, its context, its tree and its bytes.
local function head(reader, parent, seen, len)
    local start = reader.at
    local header = reader:range(1 + len)
    local cid = header(0, 1):uint()
    local tree = parent:add(f.run, reader.tvb(start, reader.last - start))
    tree:add(f.cid, header(0, 1))
    tree:add(f.first, header(1, len))
    if seen[cid] then
        refuse(start, "a second run of one context")
    end
    seen[cid] = true
    return start, cid, tree, header
end

-- One run; the number of its codes.
local function run(reader, parent, seen)
    local len, modulus, most = 1, 256, MAX_CODES
    if hack.prefs.msn_bits == 1 then
        len, modulus, most = 2, 65536, MAX_CODES_WIDE
    end
    local start, cid, tree, header = head(reader, parent, seen, len)
    local msn, count = header(1, len):uint(), 0
    local finish = reader.last
    while reader.at < reader.last do
        if reader.tvb(reader.at, 1):uint() == END then
            finish = reader.at
            reader.at = reader.at + 1
            if reader.at == reader.last then
                refuse(finish, "a separator without a run behind it")
            end
            break
        end
        local at = reader.at
        local kind, dissect = form(reader)
        -- Once for the length, once for the tree.
        dissect(reader, nowhere)
        local range = reader.tvb(at, reader.at - at)
        local code = tree:add(f.code, range)
        code:set_text(string.format("Code %d, %s: %s", (msn + count) % modulus, kind, range:bytes():tohex()))
        code:add(f.msn, range, (msn + count) % modulus):set_generated()
        code:add(f.kind, range, kind):set_generated()
        reader.at = at
        dissect(reader, code)
        if hack.prefs.codec == OWN_CHECKSUM then
            code:add(f.checksum, reader:range(2))
        end
        count = count + 1
        if count > most then
            refuse(start, string.format("a run of more than %d codes", most))
        end
    end
    if count == 0 then
        refuse(start, "a run without codes")
    end
    tree:add(f.count, header, count):set_generated()
    tree:set_len(finish - start)
    tree:set_text(string.format("Run of context 0x%02x: %d ACKs from MSN %d", cid, count, msn))
    return count
end

-- One run of packets of RFC 6846. Where one ends and the next begins only their context knows.
local function packets(reader, parent, seen)
    local start, cid, tree, header = head(reader, parent, seen, 1)
    local len = reader.last - reader.at
    if len > 0 and reader.tvb(reader.at, 1):uint() == END then
        len = reader:range(3)(1, 2):uint()
        if reader.at + len >= reader.last then
            refuse(reader.at, "a length without a run behind it")
        end
        -- No packet begins so.
        if len > 0 and reader.tvb(reader.at, 1):uint() == END then
            refuse(reader.at, "a run that begins with a length twice")
        end
    end
    if len == 0 then
        refuse(start, "a run without packets")
    end
    tree:add(f.packets, reader:range(len))
    tree:set_len(reader.at - start)
    tree:set_text(string.format("Run of context 0x%02x: %d bytes from MSN %d", cid, len, header(1, 1):uint()))
end

local subtype = Field.new("wlan.fc.type_subtype")
local radiotap_len = Field.new("radiotap.length")
local radiotap_fcs = Field.new("radiotap.flags.fcs")

-- Where a standard Ack or BlockAck that begins at `at` ends; nothing for other frames.
local function standard_end(tvb, at)
    local kind = subtype()
    if not kind then
        return nil
    elseif kind.value == 0x1d then
        return at + 10
    elseif kind.value == 0x19 and tvb:len() >= at + 20 then
        -- The BlockAck type (802.11-2020, 9.3.1.8.1), then, for compressed ones, the length of the bitmap that the
        -- fragment number tells (802.11ax-2021, 9.3.1.8.2).
        local ba_type = math.floor(tvb(at + 16, 1):uint() / 2) % 16
        if ba_type == 0 then
            return at + 20 + 128
        elseif ba_type == 2 then
            local long = math.floor(tvb(at + 18, 1):uint() / 2) % 4 == 2
            return at + 20 + (long and 32 or 8)
        end
    end
    return nil
end

-- The bits that can be SYNC in the Data or Control frame that begins at `at`, where they are set: which ones they are
-- depends on who sends the frame. Between other nodes they may say something else.
local function sync(tvb, at)
    if tvb:len() < at + 24 then
        return nil
    end
    local kind, flags = tvb(at, 1):bitfield(4, 2), tvb(at + 1, 1)
    local to_ap, from_ap = flags:bitfield(7, 1) == 1, flags:bitfield(6, 1) == 1
    if kind == 2 and from_ap and not to_ap then
        return flags:bitfield(3, 1) == 1 and flags or nil
    elseif kind == 2 and tvb(at, 1):bitfield(0, 1) == 1 then
        local qos = at + (from_ap and to_ap and 30 or 24)
        if tvb:len() < qos + 2 then
            return nil
        end
        local fourth_bit, upper = tvb(qos, 1):bitfield(3, 1), tvb(qos + 1, 1):uint()
        if from_ap and to_ap then
            return fourth_bit == 0 and upper % 2 == 1 and tvb(qos, 2) or nil
        end
        return fourth_bit == 1 and upper == 255 and tvb(qos, 2) or nil
    end
    return kind == 2 and flags:bitfield(0, 1) == 1 and flags or nil
end

function hack.dissector(tvb, pinfo, root)
    local radiotap = radiotap_len()
    local start = radiotap and radiotap.value or 0
    local asked = subtype() and sync(tvb, start)
    if asked then
        root:add(hack, asked):add(f.sync, asked, true):set_generated()
        return
    end
    local at = standard_end(tvb, start)
    local fcs = radiotap_fcs()
    local last = tvb:len() - (fcs and fcs.value and 4 or 0)
    if not at or at >= last then
        return
    end
    local whole = last - at
    local tree = root:add(hack, tvb(at, whole))
    local mic = hack.prefs.mic
    if mic > 0 then
        if whole < COUNT + mic then
            tree:add_proto_expert_info(malformed, "no room for count and code under a key")
            pinfo.cols.info:append(", HACK: malformed")
            return
        end
        last = last - COUNT - mic
        tree:add(f.mic_count, tvb(last, COUNT))
        tree:add(f.mic, tvb(last + COUNT, mic))
    end
    local reader = setmetatable({ tvb = tvb, at = at, last = last }, Reader)
    local codes, runs, seen = 0, 0, {}
    local ok, why = pcall(function()
        if last - at > MAX_FRAME then
            refuse(at, "too many bytes")
        end
        while reader.at < last do
            if hack.prefs.codec == RFC6846 then
                packets(reader, tree, seen)
            else
                codes = codes + run(reader, tree, seen)
            end
            runs = runs + 1
        end
    end)
    if ok and hack.prefs.codec == RFC6846 then
        tree:append_text(string.format(": %d runs in %d bytes", runs, whole))
        pinfo.cols.info:append(string.format(", HACK: %d runs", runs))
    elseif ok then
        tree:append_text(string.format(": %d ACKs in %d bytes", codes, whole))
        pinfo.cols.info:append(string.format(", HACK: %d ACKs", codes))
    elseif type(why) == "table" then
        tree:add_proto_expert_info(malformed, string.format("%s, at appended byte %d", why.reason, why.at - at))
        pinfo.cols.info:append(", HACK: malformed")
    else
        error(why, 0)
    end
end

register_postdissector(hack)
