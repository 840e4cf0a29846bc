//! The audit log after all deaths: whole, and with the head that was noted before the last of them.

use parlour_agent::Client;
use parlour_core::audit::{AuditEntry, AuditHead, Verifier};

/// What was found in the log.
pub(crate) struct AuditCheck {
    /// The messages of the load that were posted, in its order.
    pub(crate) posted: Vec<String>,
    /// What is wrong with it, if anything.
    pub(crate) flaw: Option<String>,
}

/// Reads and verifies the whole log.
pub(crate) async fn read(client: &Client, noted: AuditHead) -> AuditCheck {
    let mut export = client.export_audit(0).await.expect("an export");
    let mut bytes = Vec::new();
    while let Some(more) = export.next().await.expect("the export goes on") {
        bytes.extend(more);
    }
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut verifier = Verifier::new(Some(noted));
    let checked = lines.iter().try_for_each(|line| verifier.check(line)).and_then(|()| verifier.finish());
    let entries = lines.iter().map(|line| serde_json::from_slice::<AuditEntry>(line).expect("an entry"));
    let posted = entries.filter(|entry| entry.action == "messaging.posted").filter_map(|entry| entry.subject);
    let posted = posted.filter(|id| id.starts_with("msg_kill-")).collect();
    AuditCheck { posted, flaw: checked.err().map(|flaw| flaw.to_string()) }
}
