-- Wireshark dissector for the TCP ACK Rate Request option (draft-ietf-tcpm-ack-rate-request): kind 254 with identifier 0x00AC (RFC 6994), which says on a SYN that an end does
-- what it is asked for, and on a segment with data what is asked for. See README.md beside this file.

local tarr = Proto("tarr", "TCP ACK Rate Request")

local f = {
    capable = ProtoField.none("tarr.capable", "Does what it is asked for"),
    rate = ProtoField.uint8("tarr.r", "An ACK for so many full-sized segments (R)", base.DEC, nil, 0xfe),
    ignores_order = ProtoField.bool("tarr.n", "None at once for what is out of order (N)", 8, nil, 0x01),
}
tarr.fields = { f.capable, f.rate, f.ignores_order }

local tcp_options = Field.new("tcp.options")

local KIND, IDENTIFIER = 254, 0x00ac

-- The first such option of a header, if there is one.
local function option_in(range)
    local at, last = 0, range:len()
    while at + 1 < last do
        local kind = range(at, 1):uint()
        if kind == 0 then
            return nil
        end
        local len = kind == 1 and 1 or range(at + 1, 1):uint()
        if kind ~= 1 and (len < 2 or at + len > last) then
            return nil
        end
        if kind == KIND and (len == 4 or len == 5) and range(at + 2, 2):uint() == IDENTIFIER then
            return range(at, len)
        end
        at = at + len
    end
end

function tarr.dissector(_, _, root)
    local raw = tcp_options()
    local option = raw and option_in(raw.range)
    if not option then
        return
    end
    local tree = root:add(tarr, option)
    if option:len() == 4 then
        tree:add(f.capable, option)
        return
    end
    tree:add(f.rate, option(4, 1))
    tree:add(f.ignores_order, option(4, 1))
end

register_postdissector(tarr)
