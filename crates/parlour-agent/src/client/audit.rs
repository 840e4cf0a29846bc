//! The audit log, for administrators.

use std::time::Duration;

use parlour_core::{
    audit::{AuditEntry, AuditFilter, AuditHead},
    paging::Page,
};
use reqwest::Response;

use super::{Client, address, answer::Answer};
use crate::{ClientError, answers::AuditHeadAnswer};

/// How long an export may take as a whole; a longer log is exported in parts, each after the last entry of the one before.
const EXPORT_TIME_MAX: Duration = Duration::from_secs(60 * 60);

/// An export under way: its bytes as they come.
#[derive(Debug)]
pub struct AuditExport {
    url: String,
    response: Response,
}

impl Client {
    /// Reads a page of the wanted entries, newest first; it may be short, or empty, and still have a `next`.
    pub async fn audit(
        &self,
        filter: &AuditFilter,
        limit: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<Page<AuditEntry>, ClientError> {
        let query = [
            ("project_id", filter.project_id.as_ref().map(ToString::to_string)),
            ("actor", filter.actor.as_ref().map(ToString::to_string)),
            ("action", filter.action.clone()),
            ("result", filter.result.map(|result| result.to_string())),
            ("since", filter.since.map(|since| since.to_string())),
            ("until", filter.until.map(|until| until.to_string())),
            ("limit", limit.map(|limit| limit.to_string())),
            ("cursor", cursor.map(str::to_owned)),
        ];
        let query: Vec<_> = query.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
        self.get("/audit", &query).await
    }

    /// The end of the log, to be noted down.
    pub async fn audit_head(&self) -> Result<AuditHead, ClientError> {
        Ok(self.get::<AuditHeadAnswer>("/audit/head", &[]).await?.head)
    }

    /// Begins to export the log as JSON lines, oldest first, after the entry with this number.
    pub async fn export_audit(&self, after: u64) -> Result<AuditExport, ClientError> {
        let after = after.to_string();
        let url = address::join(&self.base, "/audit/export", &[("after", after.as_str())]);
        let sent = self.http.get(url.clone()).timeout(EXPORT_TIME_MAX).send().await;
        let response = sent.map_err(|error| self.unreachable(error))?;
        if response.status().is_success() {
            return Ok(AuditExport { url: self.url().to_owned(), response });
        }
        let answer = Answer::receive(response).await.map_err(|fault| fault.told(self.url(), &url))?;
        Err(answer.refused_or_itself().expect_err("an answer that is no success is refused"))
    }
}

impl AuditExport {
    /// The next bytes; none at the end. An export that breaks off is an error, never a short log.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let chunk = self.response.chunk().await;
        let chunk = chunk.map_err(|source| ClientError::Unreachable { url: self.url.clone(), source })?;
        Ok(chunk.map(Vec::from))
    }
}
