//! What others see of an agent that is run.

use parlour_core::{
    limits,
    presence::{Abilities, PresenceState, PresenceUpdate},
};

use super::{RunnerOptions, words};

/// The presence of an agent: its mentions are answered, chunk by chunk, and questions pause it.
pub(super) fn request(options: &RunnerOptions, runtime: &str, is_working: bool) -> PresenceUpdate {
    let text = |text: &str| words::cut_chars(&words::clean(text), limits::PRESENCE_TEXT_CHARS_MAX);
    PresenceUpdate {
        state: if is_working { PresenceState::Working } else { PresenceState::Idle },
        machine_name: options.machine_name.as_deref().map(text),
        runtime: Some(text(runtime)),
        abilities: Abilities { can_stream: true, can_be_woken: true, can_be_paused: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presence_is_always_one_that_the_hub_takes() {
        let options = RunnerOptions { machine_name: Some("\u{1b}x".repeat(200)), ..RunnerOptions::default() };
        assert_eq!(request(&options, &"exec ".repeat(100), true).check(), Ok(()));
    }

    #[test]
    fn an_agent_is_at_work_or_waits() {
        let state = |is_working| request(&RunnerOptions::default(), "echo", is_working).state;
        assert_eq!((state(true), state(false)), (PresenceState::Working, PresenceState::Idle));
    }
}
