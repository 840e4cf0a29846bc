//! Hooks of coding agents: how messages reach a model that works in a tool of its own.
//!
//! | part | does |
//! |---|---|
//! | [`tool`] | which tools there are, and when they call a hook |
//! | [`settings`] | the hook's entries in the settings file of a tool |
//! | [`input`], [`reply`] | what a tool says on stdin, and what it is answered on stdout |
//! | [`memory`] | what is remembered of a session from call to call |
//! | [`words`] | how own questions have ended, each text of others marked as such |
//! | [`visit`] | one call: what is asked of the hub, and what follows from it |

pub mod hook_event;
pub mod input;
pub mod memory;
pub mod reply;
pub mod settings;
pub mod tool;
pub mod words;
