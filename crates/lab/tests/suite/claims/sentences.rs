//! Reads a headline clause by clause, and says which clause is not true of the facts.

use super::facts::{Facts, Measure, RowFacts};

/// What headlines say: each is in some headline of the drawn results.
pub const KINDS: &[&str] = &[
    "gets nothing",
    "of its fair share",
    " loses ",
    "gives back",
    "gives back all",
    "% more than udp",
    "does not differ clearly from udp",
    "no other row is clearly better",
    "without starving a flow",
    "but starve",
    "carries most",
    "No row differs clearly",
    "Mbps offered in",
    "of the air time",
    "needs clearly less",
    "less air time",
    "shortest median RTT",
    "less than is offered",
    "Mbps offered",
    "carries clearly more",
    "% less than",
    "No row is clearly quicker than",
    "No row but udp is clearly quicker than",
    "end within the run",
    "at none of",
    "carries from",
];

/// The state while a headline is read.
struct Reader<'a> {
    facts: &'a Facts,
    /// Whether the clauses are about flows without end beside others.
    endless: bool,
    /// The row that others are compared with.
    plain: Option<&'a RowFacts>,
    /// Whether a clause has said what rows are compared by.
    told: bool,
}

type Checked = Result<(), String>;

/// Checks each clause of `headline`, and that harmed flows come first.
pub fn check(headline: &str, facts: &Facts) -> Checked {
    harm_comes_first(headline, facts)?;
    let mut reader = Reader { facts, endless: false, plain: None, told: false };
    for clause in headline.split("; ") {
        reader.clause(clause).map_err(|why| format!("`{clause}`: {why}"))?;
    }
    Ok(())
}

/// Where a flow is dead or starved in any run, the first words say so.
fn harm_comes_first(headline: &str, facts: &Facts) -> Checked {
    let any = |of: fn(&super::facts::RunFacts) -> usize| facts.rows.iter().flat_map(|row| &row.runs).any(|r| of(r) > 0);
    let (dead, starved) = (any(|run| run.dead().len()), any(|run| run.starved().len()));
    let first = headline.split("; ").next().unwrap_or_default();
    let says = |words: &str| first.contains(words);
    let (nothing, little) = (says("nothing"), says("less than a quarter"));
    match (dead, starved) {
        (true, _) if !nothing => Err("a flow is dead, and the headline begins with something else".to_owned()),
        (false, true) if !little => Err("a flow is starved, and the headline begins with something else".to_owned()),
        (false, false) if headline.contains("gets nothing") || headline.contains("a quarter of") => {
            Err("no flow is harmed".to_owned())
        }
        _ => Ok(()),
    }
}

impl<'a> Reader<'a> {
    fn clause(&mut self, clause: &str) -> Checked {
        let mut clause = clause.to_owned();
        if let Some((before, rest)) = clause.split_once(": ")
            && before.to_lowercase() == "flows without end"
        {
            self.endless = true;
            clause = rest.to_owned();
        }
        if clause.contains("get nothing") || clause.contains("gets nothing") {
            return self.harm(&clause, |run| run.dead().into_iter().map(str::to_owned).collect());
        }
        if clause.contains("less than a quarter of") {
            return self.harm(&clause, |run| run.starved().into_iter().map(str::to_owned).collect());
        }
        let (bare, said) = without_parentheses(&clause);
        self.flows_in_parentheses(&clause)?;
        let lower = bare.to_lowercase();
        if let Some((main, rest)) = bare.split_once(", and no other row ") {
            self.main(main, &said)?;
            return self.no_other(rest);
        }
        if lower.ends_with("within the run") {
            return self.not_ended(&lower);
        }
        self.main(&bare, &said)
    }

    fn main(&mut self, text: &str, said: &[String]) -> Checked {
        let lower = text.to_lowercase();
        if let Some(rest) = lower.strip_prefix("no row differs clearly from another: ") {
            return self.none_differs(rest);
        }
        if let Some((none, rest)) = lower.split_once(" is clearly quicker than ")
            && none.starts_with("no row")
        {
            return self.none_quicker(rest, none.contains("but udp"));
        }
        if lower == "nothing was measured" {
            return Ok(());
        }
        if let Some((name, rest)) = text.split_once(" differs clearly from udp at none of ") {
            return self.differs_nowhere(name, number(rest)?);
        }
        if let Some((name, rest)) = text.split_once(" does not differ clearly from udp: they carry ") {
            return self.does_not_differ(name, rest);
        }
        if let Some((name, rest)) = text.split_once(" carries all of the ") {
            return self.carries_all(name, rest, said);
        }
        if text.contains(" carries from ") || (text.contains(" less than udp at ") && text.contains(" points")) {
            return self.over_points(text, said);
        }
        if let Some((name, rest)) = text.split_once(" loses ") {
            return self.loses(name, number(rest)?);
        }
        if text.contains(" gives back ") {
            return self.gives_back(text);
        }
        if let Some((most, least)) = text.split_once(", and ")
            && (text.contains(" most") && text.contains(" least"))
        {
            return self.extremes(most, least);
        }
        if let Some((name, rest)) = text.split_once(" has the shortest median RTT, ") {
            return self.shortest(name, rest);
        }
        if text.contains(" less air time") {
            return self.needs_less(text);
        }
        if let Some(names) = text.strip_suffix(" less than is offered") {
            return self.less_than_offered(names);
        }
        if let Some((names, _)) = text.split_once(" more, but starve") {
            return self.more_but(names);
        }
        if let Some((name, rest)) = text.split_once(" carries ")
            && let Some((own, rest)) = rest.split_once(" of the ")
            && rest.contains("Mbps offered")
        {
            return self.carries_part(name, own, rest);
        }
        if text.contains(" takes ") && text.contains(" % less than ") {
            return self.quicker(text);
        }
        if text.contains(" % more than ") {
            return self.carries_more(text);
        }
        if let Some((name, rest)) = text.split_once(" takes ") {
            return self.figure(name, rest);
        }
        if let Some((name, rest)) = text.split_once(" carries ") {
            let single = rest.ends_with(" Mbps") && !rest.contains(", ") && !self.told;
            return if single { self.figure(name, rest) } else { self.carries_of_offered(text) };
        }
        Err("no such sentence is known".to_owned())
    }

    /// `upload-2 gets nothing in tcp, hack and 3 other rows (2 of 5 seeds)`.
    fn harm(&self, clause: &str, of: impl Fn(&super::facts::RunFacts) -> Vec<String>) -> Checked {
        let (bare, said) = without_parentheses(clause);
        let verb = if bare.contains(" gets ") { " gets " } else { " get " };
        let (who, rest) = bare.split_once(verb).ok_or("it has no verb")?;
        let dead = clause.contains("nothing");
        let affected: Vec<&RowFacts> = self
            .facts
            .rows
            .iter()
            .filter(|row| {
                let harmed: Vec<String> = row.runs.iter().flat_map(&of).collect();
                // A flow that is starved in one run and dead in another is told as dead.
                let told = |name: &String| row.runs.iter().any(|run| run.dead().contains(&name.as_str()));
                !harmed.is_empty() && (dead || !harmed.iter().all(told))
            })
            .collect();
        let most = affected.iter().flat_map(|row| &row.runs).map(|run| of(run).len()).max().unwrap_or(0);
        expect(most > 0, "no flow is harmed so")?;
        expect((verb == " gets ") == (most == 1), "the number of the verb is wrong")?;
        let words: Vec<&str> = who.split(' ').collect();
        let number = words.iter().find_map(|word| word.parse::<usize>().ok());
        match number.filter(|_| who.contains("flow")) {
            Some(count) => expect(count == most, &format!("it is {most} flows in one run"))?,
            None => {
                for row in &affected {
                    let mut harmed: Vec<String> = row.runs.iter().flat_map(&of).collect();
                    harmed.sort();
                    harmed.dedup();
                    let mut named: Vec<&str> = who.split(" and ").collect();
                    named.sort_unstable();
                    expect(harmed == named, &format!("in {} it is {harmed:?}", row.scheme))?;
                }
            }
        }
        let seeds_of = |row: &RowFacts| row.runs.iter().filter(|run| !of(run).is_empty()).count();
        let always = affected.iter().all(|row| seeds_of(row) == row.runs.len());
        match said.iter().find(|said| said.contains("seed")) {
            None => expect(always, "it is not so with every seed")?,
            Some(said) if said.starts_with("not") => expect(!always, "it is so with every seed")?,
            Some(said) => expect(number_of(said) == Some(seeds_of(affected[0])), "the seeds are others")?,
        }
        let rest = rest.split(" fair share").last().unwrap_or(rest);
        let rest = rest.strip_prefix("nothing").unwrap_or(rest).trim();
        if rest == "in every row" {
            return expect(affected.len() == self.facts.rows.len(), "it is not every row");
        }
        match rest.strip_prefix("in ") {
            None => expect(self.facts.rows.len() == 1, "it does not say where"),
            Some(rows) => self.rows_are(rows, &affected),
        }
    }

    /// `a, b and 4 other rows` are these.
    fn rows_are(&self, text: &str, rows: &[&RowFacts]) -> Checked {
        let (listed, others) = self.list(text)?;
        for row in &listed {
            expect(rows.iter().any(|own| std::ptr::eq(*own, *row)), &format!("{} is not one of them", row.scheme))?;
        }
        expect(listed.len() + others == rows.len(), &format!("they are {}", rows.len()))
    }

    fn list(&self, text: &str) -> Result<(Vec<&'a RowFacts>, usize), String> {
        let mut rows = Vec::new();
        let mut others = 0;
        let (front, last) = text.rsplit_once(" and ").unwrap_or(("", text));
        let mut names: Vec<String> = Vec::new();
        // A point has commas of its own: a part without a scheme or a key goes with the one before.
        for part in front.split(", ").chain([last]).filter(|part| !part.is_empty()) {
            match names.last_mut() {
                Some(before) if self.row(part).is_err() && !part.contains(" other row") => {
                    before.push_str(", ");
                    before.push_str(part);
                }
                _ => names.push(part.to_owned()),
            }
        }
        for name in names {
            match number_of(&name).filter(|_| name.contains(" other row")) {
                Some(count) => others = count,
                None => rows.push(self.row(&name)?),
            }
        }
        Ok((rows, others))
    }

    /// A row by what a headline calls it.
    fn row(&self, name: &str) -> Result<&'a RowFacts, String> {
        let called = |row: &&RowFacts| {
            row.scheme == name || row.point == name || format!("{} at {}", row.scheme, row.point) == name
        };
        self.facts.rows.iter().find(called).ok_or_else(|| format!("no row is called {name}"))
    }

    /// The name of the row that `item` begins with, that row, and the rest of `item`.
    fn leading_row<'b>(&self, item: &'b str) -> Result<(&'b str, &'a RowFacts, &'b str), String> {
        let ends: Vec<usize> = item.match_indices(' ').map(|(at, _)| at).collect();
        let found = ends.iter().rev().find_map(|&at| Some((&item[..at], self.row(&item[..at]).ok()?, &item[at + 1..])));
        found.ok_or_else(|| format!("`{item}` does not begin with a row"))
    }

    fn udp(&self, point: &str) -> Result<&'a RowFacts, String> {
        let udp = self.facts.rows.iter().find(|row| row.scheme == "udp" && row.point == point);
        udp.ok_or_else(|| "there is no udp".to_owned())
    }

    fn measure(&self, row: &RowFacts) -> Measure {
        if self.endless { row.endless() } else { row.goodput() }
    }

    /// The rows of the plain one's point, but that one and UDP.
    fn others(&self) -> Result<Vec<&'a RowFacts>, String> {
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let other = |row: &&RowFacts| !std::ptr::eq(*row, plain) && row.scheme != "udp" && row.point == plain.point;
        Ok(self.facts.rows.iter().filter(other).collect())
    }

    /// Rows that carry clearly more than the plain one: for certain, and perhaps.
    fn better(&self) -> Result<[Vec<&'a RowFacts>; 2], String> {
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let own = self.measure(plain);
        let more = |row: &&RowFacts| self.measure(row).mean > own.mean;
        let fair = |row: &&RowFacts| row.harmed() <= plain.harmed();
        let all: Vec<_> = self.others()?.into_iter().filter(more).filter(fair).collect();
        let certain = all.iter().copied().filter(|row| self.measure(row).apart(own) == Some(true)).collect();
        let perhaps = all.into_iter().filter(|row| self.measure(row).apart(own) != Some(false)).collect();
        Ok([certain, perhaps])
    }

    fn loses(&mut self, name: &str, percent: f64) -> Checked {
        self.told = true;
        let row = self.row(name)?;
        self.plain = Some(row);
        let udp = self.udp(&row.point)?;
        let (own, bound) = (row.goodput(), udp.goodput());
        expect(own.apart(bound) != Some(false), "they do not differ clearly")?;
        near(percent, (1.0 - own.mean / bound.mean) * 100.0)?;
        expect(!limited_and_carried(self.facts, row), "it carries all that is offered")
    }

    fn does_not_differ(&mut self, name: &str, rest: &str) -> Checked {
        self.told = true;
        let row = self.row(name)?;
        self.plain = Some(row);
        let udp = self.udp(&row.point)?;
        let (a, b) = rest.split_once(" and ").ok_or("there are no two figures")?;
        expect(row.goodput().apart(udp.goodput()) != Some(true), "they differ")?;
        near(number(a)?, row.goodput().mean)?;
        near(number(b)?, udp.goodput().mean)
    }

    fn no_other(&self, rest: &str) -> Checked {
        let without = rest.contains("without starving a flow");
        if rest.starts_with("needs clearly less") {
            let plain = self.plain.ok_or("nothing was said of a plain row")?;
            let own = plain.used();
            let less = |row: &&RowFacts| {
                row.least_part() > 0.981 && row.used().mean < own.mean && row.used().apart(own) == Some(true)
            };
            let found = self.others()?.into_iter().find(less);
            return expect(found.is_none(), &format!("{:?} does", found.map(|row| &row.scheme)));
        }
        expect(rest.starts_with("is clearly better") || rest.starts_with("carries clearly more"), "unknown words")?;
        let [certain, _] = self.better()?;
        expect(certain.is_empty(), &format!("{:?} is", certain.first().map(|row| &row.scheme)))?;
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let own = self.measure(plain);
        let clearly = |row: &&RowFacts| self.measure(row).mean > own.mean && self.measure(row).apart(own) == Some(true);
        let any = self.others()?.into_iter().any(|row| clearly(&row));
        expect(without || !any, "one that starves flows is, and that is not said")
    }

    /// `a gives back 17.2 of these percentage points, b 11.5, 3 other rows less`.
    fn gives_back(&self, text: &str) -> Checked {
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let udp = self.udp(&plain.point)?.goodput().mean;
        let lost = (1.0 - plain.goodput().mean / udp) * 100.0;
        self.best(text, " gives back ", |row, said| {
            let points = (row.goodput().mean - plain.goodput().mean) / udp * 100.0;
            if !said.starts_with("all") {
                return near(number(said)?, points);
            }
            expect(points >= lost - 1e-6, "it does not give back all")?;
            match said.split_once("carries ") {
                Some((_, more)) => near(number(more)?, (row.goodput().mean / udp - 1.0) * 100.0),
                None => Ok(()),
            }
        })
    }

    fn carries_more(&mut self, text: &str) -> Checked {
        let (front, rest) = text.split_once(" % more than ").ok_or("it has no percents")?;
        let other = rest.split([',', ';']).next().unwrap_or(rest);
        let starves = text.contains("but starves flows");
        if !self.told {
            // The plain row against UDP.
            self.told = true;
            let (name, percent) = front.split_once(" carries ").ok_or("it has no verb")?;
            let row = self.row(name)?;
            self.plain = Some(row);
            let udp = self.udp(&row.point)?;
            expect(other == "udp", "it is not compared with udp")?;
            expect(row.goodput().apart(udp.goodput()) != Some(false), "they do not differ clearly")?;
            expect(starves == (row.harmed() > udp.harmed()), "whether it starves flows")?;
            return near(number(percent)?, (row.goodput().mean / udp.goodput().mean - 1.0) * 100.0);
        }
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        expect(self.row(other)?.scheme == plain.scheme, "it is compared with another row")?;
        let text = text.replacen(&format!(" % more than {other}"), "", 1);
        self.best(&text, " carries ", |row, said| {
            near(number(said)?, (row.goodput().mean / plain.goodput().mean - 1.0) * 100.0)
        })
    }

    /// `a carries all, b 18.2, one other row less`: of the offered load.
    fn carries_of_offered(&self, text: &str) -> Checked {
        self.best(text, " carries ", |row, said| {
            if said.starts_with("all") {
                return expect(row.least_part() > 0.979, "it does not carry all");
            }
            near(number(said)?, self.measure(row).mean)
        })
    }

    /// A list of the best rows, each clearly better than the plain one, in order; the others are counted.
    fn best(&self, text: &str, verb: &str, each: impl Fn(&RowFacts, &str) -> Checked) -> Checked {
        let (first, rest) = text.split_once(verb).ok_or("it has no verb")?;
        let text = format!("{first} {rest}");
        let [certain, perhaps] = self.better()?;
        let (mut last, mut count) = (f64::INFINITY, 0);
        for item in text.split(", ") {
            if let Some(others) = item.strip_suffix(" other rows less").or_else(|| item.strip_suffix(" other row less"))
            {
                count += if others == "one" { 1 } else { number(others)? as usize };
                continue;
            }
            let (name, row, said) = self.leading_row(item)?;
            expect(perhaps.iter().any(|own| std::ptr::eq(*own, row)), &format!("{name} is not clearly better"))?;
            each(row, said)?;
            let mean = self.measure(row).mean;
            expect(mean <= last * (1.0 + 1e-9), &format!("{name} is better than the one before"))?;
            (last, count) = (mean, count + 1);
        }
        let top = perhaps.iter().map(|row| self.measure(row).mean).fold(0.0, f64::max);
        let first = self.measure(self.row(first)?).mean;
        expect(first >= top * (1.0 - 1e-3), "another row is better than the first")?;
        expect((certain.len()..=perhaps.len()).contains(&count), &format!("{} are better", certain.len()))
    }

    fn more_but(&self, names: &str) -> Checked {
        let names = names.strip_suffix(" carries").or_else(|| names.strip_suffix(" carry")).ok_or("it has no verb")?;
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let (rows, _) = self.list(names)?;
        for row in rows {
            expect(row.goodput().mean > plain.goodput().mean, "it does not carry more")?;
            expect(row.harmed() > plain.harmed(), "it starves no more flows")?;
        }
        Ok(())
    }

    fn over_points(&self, text: &str, said: &[String]) -> Checked {
        let (name, rest) = text.split_once(" carries ").ok_or("it has no verb")?;
        let losses = self.facts.rows.iter().filter(|row| row.scheme == name);
        let losses = losses.filter_map(|row| {
            let udp = self.udp(&row.point).ok()?.goodput().mean;
            (udp > 0.0).then(|| (row.point.clone(), (1.0 - row.goodput().mean / udp) * 100.0))
        });
        let losses: Vec<(String, f64)> = losses.collect();
        let least = losses.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
        let most = losses.iter().map(|(_, loss)| *loss).fold(f64::NEG_INFINITY, f64::max);
        let Some(range) = rest.strip_prefix("from ") else {
            near(number(rest)?, least)?;
            return near(number(rest)?, most);
        };
        let (from, to) = range.split_once(" to ").ok_or("it is no range")?;
        let (first, second) = match (from.contains("more"), to.contains("more than udp")) {
            (true, _) => (-number(from)?, number(to)?),
            (false, true) => (-number(from)?, -number(to)?),
            (false, false) => (number(from)?, number(to)?),
        };
        let (from, to) = (first.min(second), first.max(second));
        near(from, least)?;
        near(to, most)?;
        // Each end of the range stands beside its point.
        let points: Vec<&String> = said.iter().filter(|said| losses.iter().any(|(point, _)| point == *said)).collect();
        expect(points.len() == 2, "it does not name two points")?;
        for (point, end) in points.into_iter().zip([first, second]) {
            let loss = losses.iter().find(|(own, _)| own == point).map_or(f64::NAN, |(_, loss)| *loss);
            near(end, loss).map_err(|why| format!("at {point} {why}"))?;
        }
        Ok(())
    }

    fn differs_nowhere(&self, name: &str, points: f64) -> Checked {
        let rows: Vec<_> = self.facts.rows.iter().filter(|row| row.scheme == name).collect();
        for row in &rows {
            let udp = self.udp(&row.point)?.goodput();
            expect(udp.mean == 0.0 || row.goodput().apart(udp) != Some(true), &format!("at {} it does", row.point))?;
        }
        expect(points as usize <= rows.len(), "there are fewer points")
    }

    /// `a carries most, 5.0 Mbps, and b least, 4.0 Mbps`, or of times least first.
    fn extremes(&mut self, first: &str, second: &str) -> Checked {
        let verb = if first.contains(" takes ") { " takes " } else { " carries " };
        let (a, said_a) = first.split_once(verb).ok_or("it has no verb")?;
        let (b, said_b) =
            second.split_once(" most, ").or_else(|| second.split_once(" least, ")).ok_or("it has no end")?;
        let (a, b) = (self.row(a)?, self.row(b)?);
        let of = |row: &RowFacts, said: &str| if verb == " takes " { time(row, said) } else { Some(self.measure(row)) };
        let said_a = said_a.split_once(", ").ok_or("it has no figure")?.1;
        let unit = said_a;
        let measures: Vec<Measure> = self.facts.rows.iter().filter_map(|row| of(row, unit)).collect();
        let (Some(ma), Some(mb)) = (of(a, unit), of(b, unit)) else { return Err("one has no figure".to_owned()) };
        figure_is(said_a, ma.mean)?;
        figure_is(said_b, mb.mean)?;
        let (high, low) = if first.contains(" most") { (ma, mb) } else { (mb, ma) };
        expect(measures.iter().all(|m| m.mean <= high.mean && m.mean >= low.mean), "another row is beyond")?;
        let any = measures.iter().any(|x| measures.iter().any(|y| x.apart(*y) != Some(false)));
        expect(any, "no two rows differ clearly")
    }

    fn none_differs(&mut self, rest: &str) -> Checked {
        let (verb, range) = rest.strip_prefix("they ").and_then(|rest| rest.split_once(' ')).ok_or("no verb")?;
        let (low, high) = range.split_once(" to ").ok_or("no range")?;
        let of = |row: &RowFacts| if verb == "take" { time(row, high) } else { Some(self.measure(row)) };
        let measures: Vec<Measure> = self.facts.rows.iter().filter_map(of).collect();
        for a in &measures {
            expect(measures.iter().all(|b| a.apart(*b) != Some(true)), "two rows differ")?;
        }
        let least = measures.iter().map(|m| m.mean).fold(f64::INFINITY, f64::min);
        let most = measures.iter().map(|m| m.mean).fold(0.0, f64::max);
        figure_is(low, least)?;
        figure_is(high, most)
    }

    fn figure(&mut self, name: &str, said: &str) -> Checked {
        self.told = true;
        let row = self.row(name)?;
        let measure = if said.contains("transfer") { time(row, said) } else { Some(self.measure(row)) };
        figure_is(said, measure.ok_or("it has no figure")?.mean)
    }

    fn quicker(&self, text: &str) -> Checked {
        let (name, rest) = text.split_once(" takes ").ok_or("it has no verb")?;
        let (said, rest) = rest.split_once(", ").ok_or("it has no percents")?;
        let (percent, plain) = rest.split_once(" % less than ").ok_or("it has no percents")?;
        let (row, plain) = (self.row(name)?, self.row(plain)?);
        let (Some(own), Some(other)) = (time(row, said), time(plain, said)) else {
            return Err("one has no time".to_owned());
        };
        figure_is(said, own.mean)?;
        near(number(percent)?, (1.0 - own.mean / other.mean) * 100.0)?;
        expect(own.apart(other) != Some(false), "they do not differ clearly")?;
        for third in self.facts.rows.iter().filter(|row| row.scheme != "udp") {
            if let Some(its) = time(third, said).filter(|its| its.mean < own.mean * 0.999) {
                expect(its.apart(other) != Some(true), &format!("{} is quicker still", third.scheme))?;
            }
        }
        Ok(())
    }

    fn none_quicker(&self, rest: &str, but_udp: bool) -> Checked {
        let (name, said) = rest.split_once(", which takes ").ok_or("it has no figure")?;
        let other = time(self.row(name)?, said).ok_or("it has no time")?;
        figure_is(said, other.mean)?;
        for row in &self.facts.rows {
            if let Some(own) = time(row, said) {
                let quicker = own.mean < other.mean && own.apart(other) == Some(true);
                let slower = own.mean >= other.mean || own.apart(other) == Some(false);
                let expected = if row.scheme == "udp" && but_udp { !slower } else { !quicker };
                expect(expected, &format!("{} is not as said", row.scheme))?;
            }
        }
        Ok(())
    }

    fn not_ended(&self, lower: &str) -> Checked {
        let ended = |row: &RowFacts| {
            row.runs.iter().flat_map(|run| &run.flows).any(|f| f.completion.is_some() || f.transfer.is_some())
        };
        match lower {
            "no transfer ended within the run" => expect(!self.facts.rows.iter().any(ended), "one did"),
            "in no row did every transfer end within the run" => {
                expect(self.facts.rows.iter().any(ended), "none ended at all")
            }
            _ => {
                let open = |row: &&RowFacts| {
                    let mut ends = row.runs.iter().flat_map(|run| &run.flows).filter(|flow| !flow.is_endless());
                    ends.any(|flow| flow.completion.is_none() && flow.transfer.is_none())
                };
                let count = self.facts.rows.iter().filter(open).count();
                match number_of(lower).filter(|_| lower.contains("rows do not")) {
                    Some(said) => expect(said <= count, "fewer are open"),
                    None => {
                        let name = lower.split(" does not").next().unwrap_or_default();
                        expect(open(&self.row(name)?), "it is not open")
                    }
                }
            }
        }
    }

    fn carries_all(&mut self, name: &str, rest: &str, said: &[String]) -> Checked {
        self.told = true;
        let row = self.row(name)?;
        self.plain = Some(row);
        expect(row.least_part() > 0.979, "a flow does not get through what it offers")?;
        expect(row.runs.iter().all(|run| run.dead().is_empty()), "a flow is dead")?;
        let (offered, air) = rest.split_once(" Mbps offered in ").ok_or("it says no air time")?;
        near(number(offered)?, row.offered())?;
        near(number(air)?, row.used().mean)?;
        match said.iter().find_map(|said| said.strip_prefix("udp: ")) {
            Some(of_udp) => near(number(of_udp)?, self.udp(&row.point)?.used().mean),
            None => Ok(()),
        }
    }

    fn needs_less(&self, text: &str) -> Checked {
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let (first, rest) = text.split_once(" needs ").ok_or("it has no verb")?;
        let (percent, rest) = rest.split_once(" % less air time").ok_or("it has no percents")?;
        let (accesses, rest) = rest.split_once("than ").ok_or("it says no other row")?;
        let mut items = rest.split(", ");
        expect(items.next() == Some(plain.scheme.as_str()), "it is compared with another row")?;
        let own = plain.used();
        let less = |row: &RowFacts| (1.0 - row.used().mean / own.mean) * 100.0;
        let top = self.row(first)?;
        near(number(percent)?, less(top))?;
        expect(top.used().apart(own) != Some(false), "they do not differ clearly")?;
        expect(top.least_part() > 0.979, "it does not carry all that is offered")?;
        if let Some((a, b)) = top.accesses_per_mb().zip(plain.accesses_per_mb())
            && !accesses.trim().is_empty()
        {
            let change = (a.mean / b.mean - 1.0) * 100.0;
            let sign = if accesses.contains("fewer") { -1.0 } else { 1.0 };
            near(number(accesses.trim().trim_start_matches("and ").trim_start_matches("but "))?, sign * change)?;
            expect(a.apart(b) != Some(false), "the accesses do not differ clearly")?;
        }
        let mut last = less(top);
        for item in items.filter(|item| !item.ends_with(" less")) {
            let (_, row, percent) = self.leading_row(item)?;
            near(number(percent)?, less(row))?;
            expect(less(row) <= last + 1e-9, "it needs less than the one before")?;
            last = less(row);
        }
        for row in self.others()?.into_iter().filter(|row| row.least_part() > 0.981) {
            expect(less(row) <= less(top) + 0.1 || row.used().apart(own) != Some(true), "another row needs less")?;
        }
        Ok(())
    }

    fn shortest(&self, name: &str, rest: &str) -> Checked {
        let plain = self.plain.ok_or("nothing was said of a plain row")?;
        let (own, before) = rest.split_once(" ms instead of ").ok_or("there are no two figures")?;
        let (Some(a), Some(b)) = (self.row(name)?.rtt(), plain.rtt()) else { return Err("one has no RTT".to_owned()) };
        near(number(own)? * 10.0, a.mean * 10.0)?;
        near(number(before)? * 10.0, b.mean * 10.0)?;
        expect(a.mean < b.mean && a.apart(b) != Some(false), "it is not clearly shorter")
    }

    fn less_than_offered(&self, names: &str) -> Checked {
        let names = names.strip_suffix(" carries").or_else(|| names.strip_suffix(" carry")).ok_or("it has no verb")?;
        let (rows, others) = self.list(names)?;
        for row in &rows {
            let dead = row.runs.iter().any(|run| !run.dead().is_empty());
            expect(row.least_part() < 0.981 || dead, &format!("{} carries all", row.scheme))?;
        }
        let less = self.others()?.into_iter().filter(|row| row.least_part() < 0.979).count();
        expect(rows.len() + others >= less, "others do, too")
    }

    fn carries_part(&mut self, name: &str, own: &str, rest: &str) -> Checked {
        self.told = true;
        let row = self.row(name)?;
        self.plain = Some(row);
        near(number(own)?, self.measure(row).mean)?;
        near(number(rest)?, row.offered())?;
        let dead = row.runs.iter().any(|run| !run.dead().is_empty());
        expect(row.least_part() < 0.981 || dead, "it carries all that is offered")?;
        match rest.split_once(", udp ") {
            Some((_, udp)) => near(number(udp)?, self.measure(self.udp(&row.point)?).mean),
            None => Ok(()),
        }
    }

    /// `tcp (1 dead flow)`: some row has that number of dead flows in one run.
    fn flows_in_parentheses(&self, clause: &str) -> Checked {
        for word in ["dead", "starved"] {
            let parts: Vec<&str> = clause.split(&format!(" {word} flow")).collect();
            for part in parts.iter().take(parts.len() - 1) {
                let count = part.rsplit(['(', ' ']).next().and_then(|count| count.parse::<usize>().ok());
                let any = self.facts.rows.iter().any(|row| {
                    let of =
                        |run: &super::facts::RunFacts| if word == "dead" { run.dead() } else { run.starved() }.len();
                    row.runs.iter().map(of).max() == count
                });
                expect(any, &format!("no row has {count:?} {word} flows"))?;
            }
        }
        Ok(())
    }
}

/// Whether all flows have an offer in all rows, and this row carries all of it.
fn limited_and_carried(facts: &Facts, row: &RowFacts) -> bool {
    facts.rows.iter().all(|row| row.is_limited() && !row.has_ends() && row.point.is_empty()) && row.least_part() > 0.981
}

/// The time of transfers that a figure is about.
fn time(row: &RowFacts, said: &str) -> Option<Measure> {
    if said.contains(" ms ") { row.transfer() } else { row.completion() }
}

fn expect(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

/// Whether a figure with one decimal is `exact`.
fn near(said: f64, exact: f64) -> Checked {
    expect((said - exact).abs() <= 0.0501, &format!("it is {exact}, not {said}"))
}

/// Whether a figure is `exact` to its own decimals.
fn figure_is(said: &str, exact: f64) -> Checked {
    let digits: String = said.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let decimals = digits.split_once('.').map_or(0, |(_, rest)| rest.len());
    let said: f64 = digits.parse().map_err(|_| format!("`{said}` is no number"))?;
    let half = 0.501 * 10_f64.powi(-(decimals as i32));
    expect((said - exact).abs() <= half, &format!("it is {exact}, not {said}"))
}

/// The number that `text` begins with.
fn number(text: &str) -> Result<f64, String> {
    let digits: String = text.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.trim_end_matches('.').parse().map_err(|_| format!("`{text}` does not begin with a number"))
}

/// The first whole number in `text`.
fn number_of(text: &str) -> Option<usize> {
    text.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse().ok())
}

/// `text` without its parentheses, and their contents.
fn without_parentheses(text: &str) -> (String, Vec<String>) {
    let (mut bare, mut said) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (") {
        let (inside, later) = after.split_once(')').unwrap_or((after, ""));
        bare.push_str(before);
        said.push(inside.to_owned());
        rest = later;
    }
    bare.push_str(rest);
    (bare, said)
}
