//! Hooks of coding agents: they deliver messages to a model that runs in a tool such as Claude Code or Cursor.
//!
//! | module | does |
//! |---|---|
//! | [`tool`] | the supported tools and their hook events |
//! | [`settings`] | edits the hook's entries in the settings file of a tool |
//! | [`protocol`] | parses the input of a hook (stdin) and encodes its reply (stdout) |
//! | [`session_memory`] | the state of a session between two hook calls |
//! | [`permission`] | the rules that permit these commands without an approval |
//! | [`own_call`] | recognises the commands with which a model answers |
//! | [`hook_event`] | handles one hook call: requests to the hub and the reply to the tool |

pub mod hook_event;
pub mod own_call;
pub mod permission;
pub mod protocol;
pub mod session_memory;
pub mod settings;
pub mod tool;
