//! A message as one line, for people.

use parlour_context::preview;
use parlour_core::{context::RedactionRules, limits};

use crate::{Failure, Fault, Hub};

impl Hub {
    /// The beginning of a text as one line, with what these rules take out taken out.
    pub(crate) async fn preview_line(&self, rules: &RedactionRules, text: String) -> Result<String, Failure> {
        let rules = rules.clone();
        let line = self.at_bench(move |workshop| {
            let kept = workshop.redactor(&rules)?;
            Ok(preview::line(&workshop.prepared(&text, &kept), limits::MESSAGE_PREVIEW_CHARS_MAX))
        });
        line.await?
            .map_err(|invalid: parlour_redact::InvalidRule| Fault::new("use the rules of redaction", invalid).into())
    }
}
