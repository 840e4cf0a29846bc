//! Artifacts: stored files, found by their content.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{ArtifactId, ConversationId, MemberId, ProjectId, TaskId, text_schema, text_serde},
    task::check_title,
};

/// The SHA-256 of a content, in 64 lower-case hexadecimal digits. It is also the name of the stored file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Artifact {
    /// The artifact's id.
    pub id: ArtifactId,
    /// Its project.
    pub project_id: ProjectId,
    /// The file name to show and to download as.
    pub filename: String,
    /// The media type given by the uploader.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The hash of the content; equal contents are stored once.
    pub sha256: ContentHash,
    /// The conversation whose readers can see it. Every upload names one; it is absent in artifacts of earlier versions,
    /// which every member of the project can see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The task that it came out of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The uploader.
    pub created_by: MemberId,
    /// When it was uploaded.
    pub created_at: Timestamp,
}

impl Artifact {
    /// Refuses a file name or media type that is unsafe in a header or on a disk.
    pub fn check(&self) -> Result<(), Refusal> {
        check_filename(&self.filename)?;
        check_media_type(&self.media_type)
    }
}

/// Takes a plain file name: one visible line, no path.
pub fn check_filename(filename: &str) -> Result<(), Refusal> {
    let refuse = |refusal: Refusal| refusal.at("filename");
    check_title(filename).map_err(refuse)?;
    if filename.contains(['/', '\\']) || filename.trim_matches('.').is_empty() {
        return Err(refuse(Refusal::invalid("a file name must not contain / or \\ and must not be . or ..")));
    }
    Ok(())
}

/// Takes a media type such as `text/plain; charset=utf-8`.
pub fn check_media_type(media_type: &str) -> Result<(), Refusal> {
    let refuse =
        || Refusal::invalid("the media type must have the form type/subtype, such as text/plain").at("media_type");
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let (major, minor) = essence.split_once('/').ok_or_else(refuse)?;
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    let is_plain = media_type.len() <= 200 && media_type.bytes().all(|byte| (32..127).contains(&byte));
    if is_token(major) && is_token(minor) && is_plain { Ok(()) } else { Err(refuse()) }
}

impl ContentHash {
    /// Takes a finished SHA-256.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for ContentHash {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let refuse = || Refusal::invalid("a content hash has 64 lower-case hexadecimal digits");
        let is_lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 64 || !text.bytes().all(is_lower_hex) {
            return Err(refuse());
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).map_err(|_| refuse())?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

text_serde!(ContentHash);
text_schema!(ContentHash, "^[0-9a-f]{64}$", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_refused_as_file_names() {
        for name in ["", ".", "..", "a/b", "a\\b", "a\nb", "../../etc/passwd", "a\0"] {
            assert_eq!(check_filename(name).expect_err(name).field.as_deref(), Some("filename"), "{name:?}");
        }
        for name in ["report.pdf", "Übersicht 2.txt", ".env"] {
            assert_eq!(check_filename(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn media_types_cannot_break_a_header() {
        for bad in ["", "text", "text/", "/plain", "text/plain\r\nX: y", "te xt/plain", "text/plain; charset=ü"] {
            assert!(check_media_type(bad).is_err(), "{bad:?}");
        }
        assert_eq!(check_media_type("text/plain; charset=utf-8"), Ok(()));
    }

    #[test]
    fn hashes_are_lower_case_hexadecimal() {
        assert!("AB".repeat(32).parse::<ContentHash>().is_err());
        assert!("ab".repeat(31).parse::<ContentHash>().is_err());
    }

    proptest! {
        #[test]
        fn hashes_round_trip(bytes: [u8; 32]) {
            let hash = ContentHash::from_bytes(bytes);
            prop_assert_eq!(hash.to_string().parse::<ContentHash>().expect("own text"), hash);
        }
    }
}
