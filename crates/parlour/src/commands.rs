//! One file for each command: what it takes, what it does, what it shows.

pub(crate) mod agent;
pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod channel;
pub(crate) mod doctor;
pub(crate) mod guard;
pub(crate) mod history;
pub(crate) mod inbox;
mod interrupt;
pub(crate) mod invite;
pub(crate) mod join;
pub(crate) mod key;
pub(crate) mod person;
pub(crate) mod post;
pub(crate) mod project;
pub(crate) mod reference;
pub(crate) mod search;
pub(crate) mod serve;
mod shown_once;
pub(crate) mod tail;
pub(crate) mod token;
