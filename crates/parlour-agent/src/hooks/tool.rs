//! The supported coding agents and their hook events.

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

/// The point in a session at which a tool calls a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookPoint {
    /// A session was started or resumed.
    SessionStart,
    /// The user sent a prompt: a turn begins.
    Prompt,
    /// A tool is about to run.
    BeforeTool,
    /// A tool call ended.
    AfterTool,
    /// The model is about to end its turn.
    TurnEnd,
    /// The session has ended.
    SessionEnd,
}

/// An event of a tool for which the hook is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookRegistration {
    /// The event, as the tool names it.
    pub event: &'static str,
    pub at: HookPoint,
    /// The time limit of the tool for the hook. The hook itself ends much earlier.
    pub seconds_max: u64,
}

const fn on(event: &'static str, at: HookPoint) -> HookRegistration {
    let seconds_max = match at {
        // The hook may wait there for the answer to a question of the agent.
        HookPoint::TurnEnd => 60,
        // Codex allows no more, and no tool waits long when it closes.
        HookPoint::SessionEnd => 3,
        _ => 10,
    };
    HookRegistration { event, at, seconds_max }
}

const CLAUDE_CODE: &[HookRegistration] = &[
    on("SessionStart", HookPoint::SessionStart),
    on("UserPromptSubmit", HookPoint::Prompt),
    on("PreToolUse", HookPoint::BeforeTool),
    on("PostToolUse", HookPoint::AfterTool),
    on("PostToolUseFailure", HookPoint::AfterTool),
    on("Stop", HookPoint::TurnEnd),
    on("SessionEnd", HookPoint::SessionEnd),
];

const CODEX: &[HookRegistration] = &[
    on("SessionStart", HookPoint::SessionStart),
    on("UserPromptSubmit", HookPoint::Prompt),
    on("PreToolUse", HookPoint::BeforeTool),
    on("PostToolUse", HookPoint::AfterTool),
    on("Stop", HookPoint::TurnEnd),
    on("SessionEnd", HookPoint::SessionEnd),
];

const GEMINI: &[HookRegistration] = &[
    on("SessionStart", HookPoint::SessionStart),
    on("BeforeAgent", HookPoint::Prompt),
    on("BeforeTool", HookPoint::BeforeTool),
    on("AfterTool", HookPoint::AfterTool),
    on("AfterAgent", HookPoint::TurnEnd),
    on("SessionEnd", HookPoint::SessionEnd),
];

const CURSOR: &[HookRegistration] = &[
    on("sessionStart", HookPoint::SessionStart),
    on("beforeSubmitPrompt", HookPoint::Prompt),
    on("preToolUse", HookPoint::BeforeTool),
    on("postToolUse", HookPoint::AfterTool),
    on("stop", HookPoint::TurnEnd),
    on("sessionEnd", HookPoint::SessionEnd),
];

impl Tool {
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Cursor];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
        }
    }

    /// The product name.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
        }
    }

    /// The events that the hook is registered for.
    pub fn registrations(self) -> &'static [HookRegistration] {
        match self {
            Self::ClaudeCode => CLAUDE_CODE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Cursor => CURSOR,
        }
    }

    /// The hook point of an event; `None` for an unknown event.
    pub fn occasion(self, event: &str) -> Option<HookPoint> {
        self.registrations().iter().find(|one| one.event == event).map(|one| one.at)
    }

    /// Whether the tool passes a text of the hook to the model at this point.
    pub fn can_tell(self, at: HookPoint) -> bool {
        match at {
            HookPoint::SessionStart | HookPoint::AfterTool => true,
            // Cursor only allows a hook to stop the prompt there.
            HookPoint::Prompt => self != Self::Cursor,
            // A tool is denied or runs, a turn is held or ends; there is no other text.
            HookPoint::BeforeTool | HookPoint::TurnEnd | HookPoint::SessionEnd => false,
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
        found.ok_or_else(|| format!("unknown tool; the supported tools are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_each_hook_point_and_is_found_by_its_name() {
        let tools = [HookPoint::BeforeTool, HookPoint::AfterTool];
        let all = [HookPoint::SessionStart, HookPoint::Prompt, HookPoint::TurnEnd, HookPoint::SessionEnd];
        for tool in Tool::ALL {
            assert_eq!(tool.name().parse(), Ok(tool));
            for at in all.into_iter().chain(tools) {
                assert!(tool.registrations().iter().any(|one| one.at == at), "{tool} {at:?}");
            }
        }
        assert!("emacs".parse::<Tool>().is_err_and(|text| text.contains("claude-code, codex")));
    }

    #[test]
    fn the_time_limit_at_the_end_of_a_codex_session_is_at_most_3_seconds() {
        let end = CODEX.iter().find(|one| one.at == HookPoint::SessionEnd).expect("an end");
        assert!(end.seconds_max <= 3);
    }
}
