//! The fields that zen's messages have.

use super::spelled::Field;
use crate::json::Object;

macro_rules! form {
    ($($field:ident = $name:literal),+ $(,)?) => {
        /// A form with its fields at hand: they are found in one go, as most of them are asked for in every message.
        pub(super) struct Form<'f, 'a> {
            $(pub(super) $field: Field<'f, 'a>,)+
        }

        impl<'f, 'a> Form<'f, 'a> {
            pub(super) fn of(object: &'f Object<'a>) -> Self {
                let mut form = Self { $($field: Field::absent($name),)+ };
                for (name, value) in object.iter() {
                    match name {
                        $($name => form.$field.set(value),)+
                        _ => {}
                    }
                }
                form
            }
        }
    };
}

form! {
    a = "a",
    artifacts = "artifacts",
    b = "b",
    blocking = "blocking",
    body = "body",
    channel_id = "channel_id",
    context = "context",
    correlation_id = "correlation_id",
    created_at = "created_at",
    from = "from",
    id = "id",
    importance = "importance",
    members = "members",
    mentions = "mentions",
    meta = "meta",
    project_id = "project_id",
    resolved = "resolved",
    resolved_by = "resolved_by",
    resolved_ts = "resolved_ts",
    resume_token = "resume_token",
    root = "root",
    sort = "type",
    to = "to",
    ts = "ts",
}
