//! The frames of WebSocket clients. OpenAPI cannot describe them in an operation, so `/live` names their schema in an
//! extension.

use parlour_core::limits;
use serde_json::json;
use utoipa::openapi::{
    OpenApi, RefOr, Schema,
    extensions::ExtensionsBuilder,
    schema::{AdditionalProperties, Components, Object, ObjectBuilder, Type},
};

/// The schema of all frames: one object for each type.
const SCHEMA: &str = "ClientFrame";

/// The extension of `/live` that refers to the schema.
const EXTENSION: &str = "x-client-frame";

/// Adds the extension, and turns each frame into one closed object that includes `ref`, as the hub reads it.
pub(super) fn describe(document: &mut OpenApi) {
    if let Some(Components { schemas, .. }) = &mut document.components {
        let resolve = |name: &str| schemas.get(name).cloned();
        let mut frames = resolve(SCHEMA);
        if let Some(RefOr::T(Schema::OneOf(choice))) = &mut frames {
            for frame in &mut choice.items {
                *frame = RefOr::T(Schema::Object(closed_object(frame, &resolve)));
            }
        }
        schemas.extend(frames.map(|frames| (SCHEMA.to_owned(), frames)));
    }
    let live = document.paths.paths.get_mut("/live").and_then(|item| item.get.as_mut());
    if let Some(operation) = live {
        let reference = json!({"$ref": format!("#/components/schemas/{SCHEMA}")});
        operation.extensions = Some(ExtensionsBuilder::new().add(EXTENSION, reference).build());
    }
}

fn closed_object(frame: &RefOr<Schema>, resolve: &impl Fn(&str) -> Option<RefOr<Schema>>) -> Object {
    let mut object = Object::with_type(Type::Object);
    merge(&mut object, frame, resolve);
    let reference = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("A text of the client, which the answer repeats."))
        .max_length(Some(limits::LIVE_REF_CHARS_MAX));
    object.properties.insert("ref".to_owned(), reference.into());
    object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    object
}

/// Adds the properties of all parts of a frame. The first description is that of the frame.
fn merge(object: &mut Object, part: &RefOr<Schema>, resolve: &impl Fn(&str) -> Option<RefOr<Schema>>) {
    match part {
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
            if let Some(target) = resolve(name) {
                merge(object, &target, resolve);
            }
        }
        RefOr::T(Schema::AllOf(parts)) => {
            object.description = object.description.take().or_else(|| parts.description.clone());
            parts.items.iter().for_each(|part| merge(object, part, resolve));
        }
        RefOr::T(Schema::Object(part)) => {
            object.description = object.description.take().or_else(|| part.description.clone());
            object.properties.extend(part.properties.clone());
            object.required.extend(part.required.iter().cloned());
        }
        RefOr::T(_) => {}
    }
}
