//! A script in packetdrill's notation as a value. Whatever of the notation is not known here is refused, with its line and what is known.

use ackless_wire::{Duration, Ecn, TcpFlags};

use super::Fault;
use super::lexer::{Token, tokens};

/// A script.
#[derive(Debug)]
pub struct Script {
    /// `--name=value` in front of everything.
    pub settings: Vec<(usize, String, String)>,
    /// `` `...` `` before the first event.
    pub commands: Vec<(usize, String)>,
    pub events: Vec<Event>,
}

#[derive(Debug)]
pub struct Event {
    pub line: usize,
    pub at: At,
    pub action: Action,
}

/// When something happens, or should.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum At {
    /// So long after the start.
    Absolute(Duration),
    /// So long after the event before.
    Relative(Duration),
    /// `*`
    Any,
    /// `a~b`
    Between(Duration, Duration),
    /// `+a~+b`
    RelativeBetween(Duration, Duration),
}

#[derive(Debug)]
pub enum Action {
    /// `<`: the peer sends it.
    Receive(Segment),
    /// `>`: the endpoint should.
    Expect(Segment),
    Call(Call),
    Assert(Vec<Assertion>),
}

/// A segment, with numbers as distances from the initial ones.
#[derive(Clone, Debug)]
pub struct Segment {
    pub ecn: Option<EcnField>,
    /// `[badsum]`, which is no notation of packetdrill's: the peer's checksum is wrong.
    pub bad_checksum: bool,
    pub flags: TcpFlags,
    pub seq: u32,
    pub len: u32,
    pub ack: Option<u32>,
    pub window: Option<u16>,
    /// Nothing for `<...>`: whatever they are.
    pub options: Option<Vec<Choice>>,
}

/// What stands in the ECN field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EcnField {
    Is(Ecn),
    /// `ect01`: one of the two.
    Capable,
}

/// A TCP option.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    Mss(u16),
    SackPermitted,
    Scale(u8),
    Timestamps(u32, u32),
    Sack(Vec<(u32, u32)>),
    Nop,
    End,
    /// `raw 0x...`, which is no notation of packetdrill's: these bytes.
    Raw(Vec<u8>),
}

/// A system call and its result.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub arguments: Vec<Argument>,
    pub result: i64,
    pub error: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// `...`
    Any,
    Number(i64),
    /// A constant, or several joined by `|`.
    Constant(String),
    Text(String),
    List(Vec<Argument>),
    /// `{onoff=1, linger=0}`
    Linger(bool, i64),
}

/// `assert field == value`
#[derive(Clone, Debug)]
pub struct Assertion {
    pub field: String,
    pub relation: String,
    pub value: String,
}

impl Script {
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0 };
        let mut script = Self { settings: Vec::new(), commands: Vec::new(), events: Vec::new() };
        while let Some((line, token)) = parser.tokens.get(parser.at).cloned() {
            match token {
                Token::Setting(name, value) => script.settings.push((line, name, value)),
                Token::Command(command) => script.commands.push((line, command)),
                _ => break,
            }
            parser.at += 1;
        }
        while parser.at < parser.tokens.len() {
            script.events.push(parser.event()?);
        }
        if script.events.is_empty() {
            return Err(Fault::new(1, "a script without events"));
        }
        Ok(script)
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
}

impl Parser {
    fn line(&self) -> usize {
        let last = self.tokens.len() - 1;
        self.tokens[self.at.min(last)].0
    }

    fn fault<T>(&self, text: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(self.line(), text))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn is(&self, sign: char) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    fn takes(&mut self, sign: char) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: char) -> Result<(), Fault> {
        if self.takes(sign) { Ok(()) } else { self.fault(format!("{sign:?} should stand here, not {:?}", self.peek())) }
    }

    fn word(&mut self) -> Result<String, Fault> {
        match self.peek().cloned() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            other => self.fault(format!("a word should stand here, not {other:?}")),
        }
    }

    fn number(&mut self) -> Result<i64, Fault> {
        let Some(Token::Number(text)) = self.peek().cloned() else {
            return self.fault(format!("a number should stand here, not {:?}", self.peek()));
        };
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let Ok(number) = parsed else { return self.fault(format!("{text} is no integer")) };
        self.at += 1;
        Ok(number)
    }

    /// A number within the range of what it is for.
    fn within<N: TryFrom<i64>>(&mut self, what: &str) -> Result<N, Fault> {
        let line = self.line();
        let number = self.number()?;
        N::try_from(number).map_err(|_| Fault::new(line, format!("{number} is no {what}")))
    }

    /// A place in a stream: below zero it lies before the initial number.
    fn place(&mut self) -> Result<u32, Fault> {
        let line = self.line();
        let number = self.number()?;
        let wrapped = i32::try_from(number).map(|number| number as u32).or(u32::try_from(number));
        wrapped.map_err(|_| Fault::new(line, format!("{number} is no sequence number")))
    }

    fn event(&mut self) -> Result<Event, Fault> {
        let line = self.line();
        let at = self.time()?;
        let action = match self.peek().cloned() {
            Some(Token::Sign('<')) => {
                self.at += 1;
                Action::Receive(self.segment()?)
            }
            Some(Token::Sign('>')) => {
                self.at += 1;
                Action::Expect(self.segment()?)
            }
            Some(Token::Word(_)) => Action::Call(self.call()?),
            Some(Token::Code(code)) => {
                self.at += 1;
                Action::Assert(assertions(line, &code)?)
            }
            other => {
                return self.fault(format!(
                    "{other:?} is not supported after a time; supported are `<` and `>` with a TCP segment, a system call and %{{ assert ... }}%"
                ));
            }
        };
        Ok(Event { line, at, action })
    }

    fn time(&mut self) -> Result<At, Fault> {
        if self.takes('*') {
            return Ok(At::Any);
        }
        let relative = self.takes('+');
        let first = self.seconds()?;
        if !self.takes('~') {
            return Ok(if relative { At::Relative(first) } else { At::Absolute(first) });
        }
        if self.takes('+') != relative {
            return self.fault("both ends of a range of times are absolute, or both relative (+a~+b)");
        }
        let last = self.seconds()?;
        if last < first {
            return self.fault("a range of times ends before it begins");
        }
        Ok(if relative { At::RelativeBetween(first, last) } else { At::Between(first, last) })
    }

    fn seconds(&mut self) -> Result<Duration, Fault> {
        let Some(Token::Number(text)) = self.peek().cloned() else {
            return self.fault(format!("an event begins with its time, not with {:?}", self.peek()));
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole = if whole.is_empty() { "0" } else { whole };
        let digits = format!("{whole}{fraction:0<9}");
        let nanos = digits.parse::<u64>().ok().filter(|_| fraction.len() <= 9);
        let Some(nanos) = nanos else { return self.fault(format!("{text} is no time in seconds")) };
        self.at += 1;
        Ok(Duration::from_nanos(nanos))
    }

    fn segment(&mut self) -> Result<Segment, Fault> {
        if let Some(Token::Word(word)) = self.peek()
            && matches!(word.as_str(), "icmp" | "udp")
        {
            return self.fault(format!("{word} is not supported: only TCP segments are"));
        }
        let (mut ecn, mut bad_checksum) = (None, false);
        while self.takes('[') {
            bad_checksum |= self.takes_word("badsum");
            if !self.takes(']') {
                ecn = Some(self.ecn()?);
            }
        }
        let flags = self.flags()?;
        let seq = self.place()?;
        self.expect(':')?;
        let end = self.place()?;
        self.expect('(')?;
        let len: u32 = self.within("length")?;
        self.expect(')')?;
        if end.wrapping_sub(seq) != len {
            return self.fault(format!("{seq}:{end}({len}): the length is not the difference"));
        }
        let ack = if self.takes_word("ack") { Some(self.place()?) } else { None };
        if ack.is_some() != flags.contains(TcpFlags::ACK) {
            return self.fault("`ack` stands beside the flag `.`, and only there");
        }
        let window = if self.takes_word("win") { Some(self.within("window field")?) } else { None };
        let options = if self.takes('<') { self.options()? } else { Some(Vec::new()) };
        Ok(Segment { ecn, bad_checksum, flags, seq, len, ack, window, options })
    }

    fn ecn(&mut self) -> Result<EcnField, Fault> {
        let field = match self.word()?.as_str() {
            "noecn" => EcnField::Is(Ecn::NotCapable),
            "ect0" => EcnField::Is(Ecn::Capable0),
            "ect1" => EcnField::Is(Ecn::Capable1),
            "ect01" => EcnField::Capable,
            "ce" => EcnField::Is(Ecn::Experienced),
            other => {
                return self.fault(format!(
                    "[{other}] is not supported; supported are noecn, ect0, ect1, ect01, ce and badsum"
                ));
            }
        };
        self.expect(']')?;
        Ok(field)
    }

    fn flags(&mut self) -> Result<TcpFlags, Fault> {
        let mut flags = TcpFlags::empty();
        if self.takes('-') {
            return Ok(flags);
        }
        if let Some(Token::Word(_)) = self.peek() {
            for letter in self.word()?.chars() {
                flags |= match letter {
                    'S' => TcpFlags::SYN,
                    'F' => TcpFlags::FIN,
                    'R' => TcpFlags::RST,
                    'P' => TcpFlags::PSH,
                    'E' => TcpFlags::ECE,
                    'W' => TcpFlags::CWR,
                    _ => return self.fault(format!("flag {letter} is not supported; supported are S F R P E W and .")),
                };
            }
        }
        if self.takes('.') {
            flags |= TcpFlags::ACK;
        }
        if flags.is_empty() {
            return self.fault(format!("flags should stand here, not {:?}", self.peek()));
        }
        Ok(flags)
    }

    fn options(&mut self) -> Result<Option<Vec<Choice>>, Fault> {
        if self.peek() == Some(&Token::Ellipsis) {
            self.at += 1;
            self.expect('>')?;
            return Ok(None);
        }
        let mut options = Vec::new();
        loop {
            let option = self.option()?;
            options.push(option);
            if self.takes('>') {
                return Ok(Some(options));
            }
            self.expect(',')?;
        }
    }

    fn option(&mut self) -> Result<Choice, Fault> {
        Ok(match self.word()?.as_str() {
            "mss" => Choice::Mss(self.within("MSS")?),
            "sackOK" => Choice::SackPermitted,
            "wscale" => Choice::Scale(self.within("shift")?),
            "nop" => Choice::Nop,
            "eol" => Choice::End,
            "TS" => {
                let val = if self.takes_word("val") {
                    self.within("timestamp")?
                } else {
                    return self.fault("TS val N ecr N");
                };
                let ecr = if self.takes_word("ecr") {
                    self.within("timestamp")?
                } else {
                    return self.fault("TS val N ecr N");
                };
                Choice::Timestamps(val, ecr)
            }
            "sack" => {
                let mut blocks = Vec::new();
                while matches!(self.peek(), Some(Token::Number(_))) {
                    let left = self.place()?;
                    self.expect(':')?;
                    blocks.push((left, self.place()?));
                }
                Choice::Sack(blocks)
            }
            "raw" => self.raw()?,
            other => {
                return self.fault(format!(
                    "option {other} is not supported; supported are mss, sackOK, wscale, TS val ecr, sack, nop, eol and raw 0xBYTES"
                ));
            }
        })
    }

    fn raw(&mut self) -> Result<Choice, Fault> {
        let Some(Token::Number(text)) = self.peek().cloned() else { return self.fault("raw 0xBYTES") };
        let bytes = text.strip_prefix("0x").filter(|digits| digits.len() % 2 == 0).map(|digits| {
            (0..digits.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&digits[at..at + 2], 16))
                .collect::<Result<Vec<u8>, _>>()
        });
        let Some(Ok(bytes)) = bytes else { return self.fault("raw 0xBYTES") };
        self.at += 1;
        Ok(Choice::Raw(bytes))
    }

    fn call(&mut self) -> Result<Call, Fault> {
        let name = self.word()?;
        self.expect('(')?;
        let mut arguments = Vec::new();
        while !self.takes(')') {
            if !arguments.is_empty() {
                self.expect(',')?;
            }
            arguments.push(self.argument()?);
        }
        if self.peek() == Some(&Token::Ellipsis) {
            return self
                .fault("calls that block (`call(...) ... TIME = `) are not supported: make the socket O_NONBLOCK");
        }
        self.expect('=')?;
        let result = self.number()?;
        let mut error = None;
        if matches!(self.peek(), Some(Token::Word(word)) if word.starts_with('E')) {
            error = Some(self.word()?);
        }
        if self.takes('(') {
            while !self.takes(')') {
                self.at += 1;
                if self.at >= self.tokens.len() {
                    return self.fault("a note after a result has no end");
                }
            }
        }
        Ok(Call { name, arguments, result, error })
    }

    fn argument(&mut self) -> Result<Argument, Fault> {
        match self.peek().cloned() {
            Some(Token::Ellipsis) => {
                self.at += 1;
                Ok(Argument::Any)
            }
            Some(Token::Number(_)) => Ok(Argument::Number(self.number()?)),
            Some(Token::Text(text)) => {
                self.at += 1;
                Ok(Argument::Text(text))
            }
            Some(Token::Word(_)) => {
                let mut constant = self.word()?;
                while self.takes('|') {
                    constant = format!("{constant}|{}", self.word()?);
                }
                Ok(Argument::Constant(constant))
            }
            Some(Token::Sign('[')) => {
                self.at += 1;
                let mut list = Vec::new();
                while !self.takes(']') {
                    if !list.is_empty() {
                        self.expect(',')?;
                    }
                    list.push(self.argument()?);
                }
                Ok(Argument::List(list))
            }
            Some(Token::Sign('{')) => self.linger(),
            other => self.fault(format!("{other:?} is not supported as an argument")),
        }
    }

    fn linger(&mut self) -> Result<Argument, Fault> {
        self.expect('{')?;
        if !self.takes_word("onoff") {
            return self.fault("of structures only {onoff=1, linger=0} is supported");
        }
        self.expect('=')?;
        let on = self.number()? != 0;
        self.expect(',')?;
        if !self.takes_word("linger") {
            return self.fault("of structures only {onoff=1, linger=0} is supported");
        }
        self.expect('=')?;
        let time = self.number()?;
        self.expect('}')?;
        Ok(Argument::Linger(on, time))
    }
}

/// `assert FIELD RELATION VALUE` on each line, with an optional message behind a comma.
fn assertions(line: usize, code: &str) -> Result<Vec<Assertion>, Fault> {
    let mut found = Vec::new();
    for (below, text) in code.lines().enumerate() {
        for text in text.split(';').map(str::trim).filter(|text| !text.is_empty() && !text.starts_with('#')) {
            let line = line + below;
            let refused = || {
                Fault::new(
                    line,
                    format!("`{text}` is not supported; supported is `assert FIELD == VALUE` (or != < <= > >=)"),
                )
            };
            let body = text.strip_prefix("assert ").ok_or_else(refused)?;
            let body = body.split(',').next().unwrap_or(body);
            let words: Vec<&str> = body.split_whitespace().collect();
            let [field, relation @ ("==" | "!=" | "<" | "<=" | ">" | ">="), value] = words[..] else {
                return Err(refused());
            };
            found.push(Assertion {
                field: field.to_string(),
                relation: relation.to_string(),
                value: value.to_string(),
            });
        }
    }
    if found.is_empty() {
        return Err(Fault::new(line, "%{ }% asserts nothing"));
    }
    Ok(found)
}
