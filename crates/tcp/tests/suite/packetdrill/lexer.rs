//! What packetdrill's notation is made of.

use super::Fault;

/// One piece of a script.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// An integer or a decimal fraction, as written; a hexadecimal integer with its `0x`.
    Number(String),
    Word(String),
    /// `"..."`
    Text(String),
    /// `` `...` ``
    Command(String),
    /// `%{ ... }%`
    Code(String),
    /// `--name=value`, both parts.
    Setting(String, String),
    /// `...`
    Ellipsis,
    Sign(char),
}

/// The tokens of a script, each with the number of its line.
pub fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Fault> {
    let mut lexer = Lexer { rest: text, line: 1 };
    let mut tokens = Vec::new();
    while lexer.skip()? {
        let line = lexer.line;
        tokens.push((line, lexer.next()?));
    }
    Ok(tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    /// Leaves spaces and comments behind; whether anything is left.
    fn skip(&mut self) -> Result<bool, Fault> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.until("/*", "*/")?;
            } else {
                return Ok(!self.rest.is_empty());
            }
        }
    }

    fn next(&mut self) -> Result<Token, Fault> {
        let rest = self.rest;
        let after = |prefix: &str| rest.strip_prefix(prefix).and_then(|tail| tail.chars().next());
        if rest.starts_with("...") {
            self.take(3);
            return Ok(Token::Ellipsis);
        }
        if rest.starts_with("%{") {
            return Ok(Token::Code(self.until("%{", "}%")?.to_string()));
        }
        if rest.starts_with('`') {
            return Ok(Token::Command(self.until("`", "`")?.to_string()));
        }
        if rest.starts_with('"') {
            return Ok(Token::Text(self.until("\"", "\"")?.to_string()));
        }
        if after("--").is_some_and(|next| next.is_ascii_alphabetic()) {
            return self.setting();
        }
        let first = rest.chars().next().expect("something is left");
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if first.is_ascii_digit() || (first == '.' && digit(after("."))) || (first == '-' && digit(after("-"))) {
            let hexadecimal = rest.starts_with("0x");
            let part = |(at, c): (usize, char)| {
                c.is_ascii_digit()
                    || c == '.'
                    || (at == 0 && c == '-')
                    || (hexadecimal && (c == 'x' || c.is_ascii_hexdigit()))
            };
            // A range is no part of a number: `4...5` are two.
            let len = rest.char_indices().find(|&at| !part(at)).map_or(rest.len(), |(at, _)| at);
            let len = rest[..len].find("..").unwrap_or(len);
            return Ok(Token::Number(self.take(len).to_string()));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let len = rest.find(|c| !part(c)).unwrap_or(rest.len());
            return Ok(Token::Word(self.take(len).to_string()));
        }
        self.take(first.len_utf8());
        Ok(Token::Sign(first))
    }

    fn setting(&mut self) -> Result<Token, Fault> {
        let line = self.line;
        let len = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let whole = &self.take(len)[2..];
        let (name, value) = whole.split_once('=').ok_or_else(|| Fault::new(line, format!("--{whole} has no value")))?;
        Ok(Token::Setting(name.to_string(), value.to_string()))
    }

    /// What stands between the two marks, which are taken too.
    fn until(&mut self, open: &str, close: &str) -> Result<&'a str, Fault> {
        let line = self.line;
        self.take(open.len());
        let len = self.rest.find(close).ok_or_else(|| Fault::new(line, format!("{open} without {close}")))?;
        let inner = self.take(len);
        self.take(close.len());
        Ok(inner)
    }

    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }
}
