use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use parlour_core::{Code, Refusal, checkpoint::summary, limits};
use serde_json::Value;

mod bounds;

/// How many broken rules a refusal names.
const PROBLEMS_MAX: usize = 5;
/// Characters of one broken rule, as it is told.
const PROBLEM_CHARS_MAX: usize = 200;

/// What an answer must look like, ready to be asked.
///
/// A schema comes from anybody who may ask, so it is kept small (see `bounds`), refers to nothing outside of itself, and
/// its patterns cost no more than the length of what they look at.
pub(crate) struct AnswerSchema(Validator);

impl AnswerSchema {
    /// Reads a schema, or says why it cannot be taken.
    pub(crate) fn compile(schema: &Value) -> Result<Self, Refusal> {
        bounds::check(schema)?;
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex().size_limit(limits::ANSWER_PATTERN_BYTES_MAX));
        options.build(schema).map(Self).map_err(|error| {
            let detail = format!("this is no JSON Schema that can be taken: {}", problem(&error));
            Refusal::invalid(detail)
        })
    }

    /// Refuses (`BadAnswer`) a value that does not fit, and names the rules that it breaks and where.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Refusal> {
        if self.0.is_valid(value) {
            return Ok(());
        }
        let problems: Vec<String> = self.0.iter_errors(value).take(PROBLEMS_MAX).map(|error| problem(&error)).collect();
        Err(Refusal::new(Code::BadAnswer, problems.join("; ")))
    }

    /// The first of these values that fits; otherwise why the first one does not.
    pub(crate) fn choose(&self, values: Vec<Value>) -> Result<Value, Refusal> {
        let mut first_problem = None;
        for value in values {
            match self.check(&value) {
                Ok(()) => return Ok(value),
                Err(refusal) => first_problem = first_problem.or(Some(refusal)),
            }
        }
        Err(first_problem.unwrap_or_else(|| Refusal::new(Code::BadAnswer, "there is no value")))
    }
}

/// One broken rule: where it is broken, what is wrong, and the rule by its name.
fn problem(error: &ValidationError<'_>) -> String {
    let place = match error.instance_path().as_str() {
        "" => "the answer".to_owned(),
        path => path.to_owned(),
    };
    let (what, rule) = (error.masked_with("it").to_string(), error.kind().keyword());
    summary(&format!("{place}: {what} (rule {rule:?})"), PROBLEM_CHARS_MAX)
}

#[cfg(test)]
mod tests;
