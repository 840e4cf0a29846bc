//! The name of this machine.

use parlour_core::limits;

/// What this machine calls itself, cut to what a presence can show.
pub(crate) fn machine_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name: String = name.chars().filter(|sign| !sign.is_control()).take(limits::PRESENCE_TEXT_CHARS_MAX).collect();
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_a_name_that_fits() {
        let name = machine_name().expect("every system has one");
        assert!(name.chars().count() <= limits::PRESENCE_TEXT_CHARS_MAX);
    }
}
