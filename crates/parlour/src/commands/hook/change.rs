//! A change to a file, as it is shown before it is made.

use std::path::Path;

use super::difference::difference;

/// The file and what changes in it.
pub(super) fn show(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let what = match (before, after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    };
    format!("{} ({what})\n{}", path.display(), difference(before.unwrap_or_default(), after.unwrap_or_default()))
}
