//! Generated reference documentation: the hub prints it, and the output is checked in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{capture, run};
use crate::diff::short_diff;
use crate::hub;
use crate::workspace::Workspace;

/// File name prefix of error pages, to find pages of removed codes.
const ERROR_PAGE_PREFIX: &str = "PARLOUR-";
/// The folder with one page per code; it may contain hand-written pages too.
const ERROR_FOLDER: &str = "docs/errors";

/// A generated file: its path below the root, and its text.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    path: PathBuf,
    text: String,
}

/// The change that a checked-in file needs to match the code.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Write(Page, String),
    Remove(PathBuf),
}

/// Regenerates every reference and removes pages of removed codes.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    for change in changes(workspace)? {
        println!("{}", headline(&change));
        match change {
            Change::Write(page, _) => write_page(workspace.root(), &page)?,
            Change::Remove(path) => fs::remove_file(workspace.root().join(path))?,
        }
    }
    Ok(())
}

/// Fails with the differences if a checked-in reference is outdated.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let changes = changes(workspace)?;
    changes.iter().for_each(|change| println!("{}\n{}", headline(change), details(change)));
    ensure!(changes.is_empty(), "{} generated files are out of date; renew them with: cargo xtask docs", changes.len());
    Ok(())
}

/// All needed changes, in display order.
fn changes(workspace: &Workspace) -> Result<Vec<Change>> {
    let program = hub::build(workspace)?;
    let pages = generate(|| Command::new(&program), &workspace.scratch("reference"))?;
    let present = error_pages_in(&workspace.root().join(ERROR_FOLDER))?;
    Ok(compare(pages, &present, |path| fs::read_to_string(workspace.root().join(path)).ok()))
}

/// Runs the hub program; it writes the error pages into `folder`, which is deleted afterwards.
fn generate(hub: impl Fn() -> Command, folder: &Path) -> Result<Vec<Page>> {
    let printed =
        |path: &str, subject| capture(hub().args(["reference", subject])).map(|text| Page { path: path.into(), text });
    let mut pages = vec![printed("docs/openapi.json", "openapi")?, printed("docs/settings.md", "settings")?];
    fs::create_dir_all(folder)?;
    run(hub().args(["reference", "errors", "--out"]).arg(folder))?;
    for page in error_pages_in(folder)? {
        let text = fs::read_to_string(folder.join(&page))?;
        pages.push(Page { path: Path::new(ERROR_FOLDER).join(page), text });
    }
    fs::remove_dir_all(folder)?;
    Ok(pages)
}

/// The sorted file names of a folder; none if it does not exist.
fn error_pages_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    let names = entries.iter().map(|entry| PathBuf::from(entry.file_name()));
    let mut pages: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with(ERROR_PAGE_PREFIX)).collect();
    pages.sort();
    Ok(pages)
}

/// Pure except for `read`, which returns the checked-in text of a path.
fn compare(pages: Vec<Page>, present: &[PathBuf], read: impl Fn(&Path) -> Option<String>) -> Vec<Change> {
    let is_generated = |path: &Path| pages.iter().any(|page| page.path == path);
    let error_pages = present.iter().map(|name| Path::new(ERROR_FOLDER).join(name));
    let removed: Vec<_> = error_pages.filter(|path| !is_generated(path)).map(Change::Remove).collect();
    let written = pages.into_iter().filter_map(|page| {
        let old = read(&page.path);
        (old.as_ref() != Some(&page.text)).then(|| Change::Write(page, old.unwrap_or_default()))
    });
    written.chain(removed).collect()
}

/// Creates the folder if necessary.
fn write_page(root: &Path, page: &Page) -> Result<()> {
    let path = root.join(&page.path);
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    fs::write(&path, &page.text).with_context(|| format!("write {}", path.display()))
}

/// One line that names the file and the change.
fn headline(change: &Change) -> String {
    match change {
        Change::Write(page, old) if old.is_empty() => format!("new: {}", page.path.display()),
        Change::Write(page, _) => format!("changed: {}", page.path.display()),
        Change::Remove(path) => format!("no longer generated: {}", path.display()),
    }
}

/// The difference of a changed file; empty for a removed one.
fn details(change: &Change) -> String {
    match change {
        Change::Write(page, old) => short_diff(old, &page.text),
        Change::Remove(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, text: &str) -> Page {
        Page { path: path.into(), text: text.into() }
    }

    /// The headlines of all changes for one generated page and these checked-in files.
    fn compared(generated: Page, present: &[&str], on_disk: Option<&str>) -> Vec<String> {
        let present: Vec<_> = present.iter().map(PathBuf::from).collect();
        compare(vec![generated], &present, |_| on_disk.map(Into::into)).iter().map(headline).collect()
    }

    #[test]
    fn an_equal_file_needs_no_change() {
        assert!(compared(page("docs/settings.md", "a\n"), &[], Some("a\n")).is_empty());
    }

    #[test]
    fn a_file_that_differs_is_named() {
        assert_eq!(compared(page("docs/settings.md", "a\n"), &[], Some("b\n")), ["changed: docs/settings.md"]);
    }

    #[test]
    fn a_difference_in_the_last_line_end_counts() {
        assert_eq!(compared(page("docs/settings.md", "a\n"), &[], Some("a")).len(), 1);
    }

    #[test]
    fn a_file_that_is_not_checked_in_is_new() {
        assert_eq!(compared(page("docs/openapi.json", "{}\n"), &[], None), ["new: docs/openapi.json"]);
    }

    #[test]
    fn the_page_of_a_removed_code_is_named() {
        let generated = page("docs/errors/PARLOUR-C01.md", "text");
        let changes = compared(generated, &["PARLOUR-C01.md", "PARLOUR-X99.md"], Some("text"));
        assert_eq!(changes, ["no longer generated: docs/errors/PARLOUR-X99.md"]);
    }

    #[test]
    fn a_changed_page_shows_the_difference() {
        let change = Change::Write(page("docs/settings.md", "a\nc\n"), "a\nb\n".into());
        assert_eq!(details(&change), "@ line 2\n- b\n+ c\n");
    }

    #[test]
    fn hand_written_pages_are_not_removed() -> Result<()> {
        let folder = Workspace::find().scratch("error-pages");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("PARLOUR-C01.md"), "generated")?;
        fs::write(folder.join("README.md"), "by hand")?;
        let pages = error_pages_in(&folder)?;
        fs::remove_dir_all(&folder)?;
        assert_eq!(pages, [PathBuf::from("PARLOUR-C01.md")]);
        Ok(())
    }

    #[test]
    fn every_reference_comes_from_the_program() -> Result<()> {
        let script = r#"if [ "$1" = errors ]; then echo why > "$3/PARLOUR-C01.md"; else echo "$1"; fi"#;
        let shell = || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let pages = generate(shell, &Workspace::find().scratch("reference-program"))?;
        let expected = [
            page("docs/openapi.json", "openapi\n"),
            page("docs/settings.md", "settings\n"),
            page("docs/errors/PARLOUR-C01.md", "why\n"),
        ];
        assert_eq!(pages, expected);
        Ok(())
    }

    #[test]
    fn a_missing_folder_has_no_pages() -> Result<()> {
        assert!(error_pages_in(Path::new("no-such-folder"))?.is_empty());
        Ok(())
    }
}
