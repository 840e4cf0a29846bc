//! Engines that take the conversation as a text: commands, and the echo.

#![cfg(unix)]

mod answers;
mod arguments;
mod echo;
mod environment;
mod events;
mod failures;
mod fixture;
mod pausing;
mod prompts;
mod stopping;
mod transcript;
