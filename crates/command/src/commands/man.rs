//! `ackless man`: manual pages.

use std::io;

use ackless_lab::error::shown;
use ackless_lab::files;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man as Page;

use crate::args::{Args, Man};
use crate::output::{Failure, print, remark};

/// Prints the page of the program, or writes all pages into a folder.
pub fn run(options: &Man) -> Result<(), Failure> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &options.out else {
        return print(&text(&Page::new(command))?);
    };
    let mut pages = Vec::new();
    all(&command, &mut pages)?;
    let files: Vec<_> = pages.iter().map(|(name, page)| (name.as_str(), page.as_str())).collect();
    files::write_all_new(folder, &files, options.overwrite)?;
    let names: Vec<_> = pages.iter().map(|(name, _)| name.as_str()).collect();
    remark(&format!("written to {}: {}", shown(folder), names.join(", ")));
    Ok(())
}

/// The pages of `command` and of the commands in it, by their file names.
fn all(command: &Command, pages: &mut Vec<(String, String)>) -> Result<(), Failure> {
    let page = Page::new(command.clone());
    pages.push((page.get_filename(), text(&page)?));
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        all(inner, pages)?;
    }
    Ok(())
}

fn text(page: &Page) -> Result<String, Failure> {
    let mut text = Vec::new();
    let written = page.render(&mut text);
    written.and_then(|()| String::from_utf8(text).map_err(io::Error::other)).map_err(Failure::Output)
}
