//! The readers of live clients as fuzz targets.

use axum::http::{HeaderValue, Version, header};
use parlour_core::{
    fuzz::{FuzzTarget, text},
    limits,
};

use super::{client_frame, ws_transport};
use crate::fuzz::headers;

/// The readers of this module.
pub(crate) const TARGETS: &[FuzzTarget] = &[("client_frames", client_frames), ("handshakes", handshakes)];

fn client_frames(bytes: &[u8]) {
    let read = client_frame::read(&text(bytes));
    assert!(read.reference.is_none_or(|text| text.chars().count() <= limits::LIVE_REF_CHARS_MAX));
    assert!(read.frame.err().is_none_or(|refusal| refusal.to_string().len() < 4_000));
}

fn handshakes(bytes: &[u8]) {
    for name in [header::CONNECTION, header::UPGRADE, header::SEC_WEBSOCKET_KEY, header::SEC_WEBSOCKET_VERSION] {
        let mut whole = headers(&name, bytes);
        for (other, value) in [
            (header::CONNECTION, "Upgrade"),
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ] {
            if other != name {
                whole.insert(other, HeaderValue::from_static(value));
            }
        }
        if let Ok(accept) = ws_transport::check_handshake(Version::HTTP_11, &whole) {
            assert_eq!(accept.len(), 28, "{accept}");
        }
    }
}
