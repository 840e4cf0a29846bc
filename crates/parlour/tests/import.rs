//! `parlour import` and the way back, against a real hub: what is taken over, what is told, and that nothing is lost or
//! doubled, whatever happens on the way.

#[path = "import/caco.rs"]
mod caco;
#[path = "import/errors.rs"]
mod errors;
#[path = "import/files.rs"]
mod files;
#[path = "import/fixture.rs"]
mod fixture;
#[path = "import/kept.rs"]
mod kept;
#[path = "import/laws.rs"]
mod laws;
#[path = "import/native.rs"]
mod native;
#[path = "import/pynchy.rs"]
mod pynchy;
#[path = "import/resume.rs"]
mod resume;
mod support;
