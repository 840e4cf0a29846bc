//! The text files of the checkout, read once for all rules.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result};

/// Larger files are data, not text that people keep tidy.
const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// What the walk passes over; with git, the ignore file says it.
const FOLDERS_SKIPPED: &[&str] = &["target", "node_modules", "dist", "parlour-data", ".git"];

/// A text file: its path below the root with forward slashes, and its text.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The lines with their numbers, counted from 1.
    pub(crate) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All text files that are, or are about to be, part of the repository.
#[derive(Debug)]
pub(crate) struct Tree {
    files: Vec<TextFile>,
    /// The paths of what is no text, such as pictures.
    others: Vec<String>,
    /// Folders that exist only on this machine: the checkout and the developer's home.
    places: Vec<String>,
}

impl Tree {
    /// Reads what git tracks or would track; without git, everything below the root but build output.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut paths = match paths_known_to_git(root) {
            Some(paths) => paths,
            None => paths_below(root)?,
        };
        paths.sort();
        let files: Vec<_> = paths.iter().filter_map(|path| read_text(root, path)).collect();
        let is_other =
            |path: &String| files.binary_search_by(|file| file.path.cmp(path)).is_err() && root.join(path).exists();
        let others = paths.iter().filter(|path| is_other(path)).cloned().collect();
        let home = env::var("HOME").unwrap_or_default();
        let places = [root.display().to_string(), home].into_iter().filter(|place| place.len() > 1).collect();
        Ok(Self { files, others, places })
    }

    /// Every file, sorted by path.
    pub(crate) fn files(&self) -> &[TextFile] {
        &self.files
    }

    /// The files whose name ends in one of these extensions.
    pub(crate) fn with_extension(&self, extensions: &'static [&'static str]) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.name().rsplit_once('.').is_some_and(|(_, end)| extensions.contains(&end)))
    }

    /// Whether a file or a folder of the repository has this path.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let paths = self.files.iter().map(|file| &file.path).chain(&self.others);
        path.is_empty() || paths.into_iter().any(|one| one == path || one.starts_with(&folder))
    }

    /// Absolute folders that mean something on this machine only.
    pub(crate) fn places(&self) -> &[String] {
        &self.places
    }

    /// A tree in memory, on a machine where the checkout is `/srv/checkout`.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| TextFile { path: (*path).into(), text: (*text).into() };
        Self { files: files.iter().map(file).collect(), others: Vec::new(), places: vec!["/srv/checkout".into()] }
    }
}

/// `None` without git or outside a checkout; new files count before they are added.
fn paths_known_to_git(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let output = Command::new("git").current_dir(root).args(arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(text.split('\0').filter(|path| !path.is_empty()).map(Into::into).collect())
}

/// Every file below the root, for a source archive without git.
fn paths_below(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    // Grows and shrinks with the folders found; symbolic links are not followed, so it ends.
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).with_context(|| format!("list {}", folder.display()))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && !FOLDERS_SKIPPED.contains(&entry.file_name().to_string_lossy().as_ref()) {
                folders.push(path);
            } else if kind.is_file() {
                paths.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(paths)
}

/// `None` for what is no text, is too large, or was removed but is still known to git.
fn read_text(root: &Path, path: &str) -> Option<TextFile> {
    let full = root.join(path);
    let size = fs::symlink_metadata(&full).ok().filter(fs::Metadata::is_file)?.len();
    let text = if size <= FILE_BYTES_MAX {
        fs::read_to_string(&full).ok()?
    } else {
        return None;
    };
    Some(TextFile { path: path.into(), text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    /// A folder on disk with these files, removed after the test has looked at it.
    fn paths_walked(name: &str, files: &[&str]) -> Result<Vec<String>> {
        let folder = Workspace::find().scratch(name);
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, "text")?;
        }
        let mut paths = paths_below(&folder)?;
        paths.sort();
        fs::remove_dir_all(&folder)?;
        Ok(paths)
    }

    #[test]
    fn this_file_is_part_of_the_tree() -> Result<()> {
        let tree = Tree::read(Workspace::find().root())?;
        assert!(tree.holds("xtask/src/tidy/tree.rs"));
        Ok(())
    }

    #[test]
    fn without_git_all_folders_are_walked() -> Result<()> {
        assert_eq!(paths_walked("tree-walk", &["a.rs", "b/c/d.md"])?, ["a.rs", "b/c/d.md"]);
        Ok(())
    }

    #[test]
    fn build_output_and_packages_are_skipped() -> Result<()> {
        let files = ["a.rs", "target/x.rs", "web/node_modules/y.ts", "web/dist/z.css", ".git/config"];
        assert_eq!(paths_walked("tree-skip", &files)?, ["a.rs"]);
        Ok(())
    }

    #[test]
    fn a_deleted_file_that_git_lists_is_skipped() {
        assert!(read_text(Workspace::find().root(), "no/such/file.rs").is_none());
    }

    #[test]
    fn files_are_found_by_extension() {
        let tree = Tree::of(&[("a.rs", ""), ("b.css", ""), ("rs", "")]);
        let names: Vec<_> = tree.with_extension(&["rs"]).map(TextFile::name).collect();
        assert_eq!(names, ["a.rs"]);
    }

    #[test]
    fn a_tree_contains_its_folders() {
        let tree = Tree::of(&[("docs/adr/0001-x.md", "")]);
        assert!(tree.holds("docs/adr") && tree.holds("docs/adr/0001-x.md") && tree.holds(""));
        assert!(!tree.holds("docs/ad"));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let file = TextFile { path: "a".into(), text: "x\ny\n".into() };
        assert_eq!(file.numbered_lines().collect::<Vec<_>>(), [(1, "x"), (2, "y")]);
    }

    #[test]
    fn binary_files_are_skipped() -> Result<()> {
        let folder = Workspace::find().scratch("tree-binary");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("picture"), [0xff, 0xfe, 0x00])?;
        fs::write(folder.join("page"), "text")?;
        let found = ["picture", "page"].map(|name| read_text(&folder, name).is_some());
        fs::remove_dir_all(&folder)?;
        assert_eq!(found, [false, true]);
        Ok(())
    }

    #[test]
    fn a_folder_without_repository_is_not_known_to_git() {
        assert_eq!(paths_known_to_git(Path::new("/")), None);
    }
}
