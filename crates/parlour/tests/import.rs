//! `parlour import` and `parlour export` against a real hub. Nothing is lost or duplicated, also after a kill.

#[path = "import/caco.rs"]
mod caco;
#[path = "import/errors.rs"]
mod errors;
#[path = "import/files.rs"]
mod files;
#[path = "import/fixture.rs"]
mod fixture;
#[path = "import/native.rs"]
mod native;
#[path = "import/pynchy.rs"]
mod pynchy;
#[path = "import/restored_values.rs"]
mod restored_values;
#[path = "import/resume.rs"]
mod resume;
#[path = "import/round_trips.rs"]
mod round_trips;
mod support;
