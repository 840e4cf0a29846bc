//! Dialects: the wire formats of other systems, turned into the domain and back.
//!
//! A dialect is a file with wire types, `decode`, `encode` and fixtures, and it is pure: no I/O, no clock. Quirks of
//! a foreign format stay inside its file; nothing outside ever looks at a foreign field name.
//!
//! Two rules hold for all of them. Decoding keeps everything the domain has a place for, so that encoding gives it
//! back. And identity never comes from a text: where a foreign system wrote the author into the message itself, the
//! prefix is read only from histories that a person chose to import, and written only for models.
//!
//! The first piece is [`caco_source`]: the prefixes by which Caco tells its four sources of messages apart. The whole
//! formats of Jaibber, Caco, TKR and pynchy and the message lists of model providers follow.

pub mod caco_source;
