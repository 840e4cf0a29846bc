//! The coding agents that can be hooked, and when each of them calls a hook.

use std::{fmt, str::FromStr};

/// A coding agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// The Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
}

/// What has happened in a coding agent when it calls a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occasion {
    /// A session has begun or was taken up again.
    SessionStart,
    /// Its user has sent a prompt: a turn begins.
    Prompt,
    /// A tool has been used.
    AfterTool,
    /// The model wants to end its turn.
    TurnEnd,
    /// The session has ended.
    SessionEnd,
}

/// One event of a tool that a hook is registered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The event, as the tool calls it.
    pub event: &'static str,
    /// What it means.
    pub at: Occasion,
    /// After how many seconds the tool gives up on the hook. The hook itself gives up much earlier.
    pub seconds_max: u64,
}

const fn on(event: &'static str, at: Occasion) -> Registration {
    let seconds_max = match at {
        Occasion::TurnEnd => 60,
        // Codex allows no more, and no tool waits for long when it closes.
        Occasion::SessionEnd => 3,
        _ => 10,
    };
    Registration { event, at, seconds_max }
}

const CLAUDE_CODE: &[Registration] = &[
    on("SessionStart", Occasion::SessionStart),
    on("UserPromptSubmit", Occasion::Prompt),
    on("PostToolUse", Occasion::AfterTool),
    on("PostToolUseFailure", Occasion::AfterTool),
    on("Stop", Occasion::TurnEnd),
    on("SessionEnd", Occasion::SessionEnd),
];

const CODEX: &[Registration] = &[
    on("SessionStart", Occasion::SessionStart),
    on("UserPromptSubmit", Occasion::Prompt),
    on("PostToolUse", Occasion::AfterTool),
    on("Stop", Occasion::TurnEnd),
    on("SessionEnd", Occasion::SessionEnd),
];

const GEMINI: &[Registration] = &[
    on("SessionStart", Occasion::SessionStart),
    on("BeforeAgent", Occasion::Prompt),
    on("AfterTool", Occasion::AfterTool),
    on("AfterAgent", Occasion::TurnEnd),
    on("SessionEnd", Occasion::SessionEnd),
];

const CURSOR: &[Registration] = &[
    on("sessionStart", Occasion::SessionStart),
    on("beforeSubmitPrompt", Occasion::Prompt),
    on("postToolUse", Occasion::AfterTool),
    on("stop", Occasion::TurnEnd),
    on("sessionEnd", Occasion::SessionEnd),
];

impl Tool {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Cursor];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
        }
    }

    /// The events that the hook is registered for.
    pub fn registrations(self) -> &'static [Registration] {
        match self {
            Self::ClaudeCode => CLAUDE_CODE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Cursor => CURSOR,
        }
    }

    /// What an event of it means; nothing for one that the hook does not know.
    pub fn occasion(self, event: &str) -> Option<Occasion> {
        self.registrations().iter().find(|one| one.event == event).map(|one| one.at)
    }

    /// Whether what a hook says on this occasion reaches the model.
    pub fn can_tell(self, at: Occasion) -> bool {
        match at {
            Occasion::SessionStart | Occasion::AfterTool => true,
            // Cursor lets a hook stop a prompt there, and say nothing to the model.
            Occasion::Prompt => self != Self::Cursor,
            // A turn is held or ends; nothing is told beside it.
            Occasion::TurnEnd | Occasion::SessionEnd => false,
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tool| tool.name() == text);
        found.ok_or_else(|| format!("there is no such tool; there are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_each_occasion_and_is_found_by_its_name() {
        let all = [Occasion::SessionStart, Occasion::Prompt, Occasion::AfterTool, Occasion::TurnEnd];
        for tool in Tool::ALL {
            assert_eq!(tool.name().parse(), Ok(tool));
            for at in all.into_iter().chain([Occasion::SessionEnd]) {
                assert!(tool.registrations().iter().any(|one| one.at == at), "{tool} {at:?}");
            }
        }
        assert!("emacs".parse::<Tool>().is_err_and(|text| text.contains("claude-code, codex")));
    }

    #[test]
    fn codex_is_asked_for_no_more_time_at_the_end_than_it_gives() {
        let end = CODEX.iter().find(|one| one.at == Occasion::SessionEnd).expect("an end");
        assert!(end.seconds_max <= 3);
    }
}
