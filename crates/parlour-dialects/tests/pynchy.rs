//! pynchy: its rows, its prompts for models, its texts in channels, and its HTTP events.

#[path = "pynchy/any_row.rs"]
mod any_row;
#[path = "pynchy/channel.rs"]
mod channel;
#[path = "pynchy/commands_and_notices.rs"]
mod commands_and_notices;
#[path = "pynchy/for_models.rs"]
mod for_models;
#[path = "pynchy/http.rs"]
mod http;
#[path = "pynchy/metadata.rs"]
mod metadata;
#[path = "pynchy/refused.rs"]
mod refused;
#[path = "pynchy/rows.rs"]
mod rows;
mod support;
#[path = "pynchy/tags.rs"]
mod tags;
