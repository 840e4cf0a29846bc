//! From the flags of `parlour agent` to the engine that they mean.

use std::{env, path::Path, sync::Arc};

use parlour_agent::{
    engine::Engine,
    engines::{
        EchoEngine, ExecEngine, PromptBy, TranscriptForm,
        models::{Interface, ModelEngine, ModelSettings, Secret},
    },
};

use super::run::{EngineChoice, Form, PromptWay};
use crate::failure::Failure;

impl EngineChoice {
    /// Makes the engine; nothing is asked or started yet.
    pub(super) fn make(&self) -> Result<Arc<dyn Engine>, Failure> {
        let sort = &self.sort;
        if let Some(command) = &sort.exec {
            self.refuse_flags_of_models()?;
            return self.command(command);
        }
        let models = [
            (Interface::OpenAi, &sort.openai),
            (Interface::Anthropic, &sort.anthropic),
            (Interface::Gemini, &sort.gemini),
        ];
        match models.into_iter().find_map(|(interface, url)| Some((interface, url.as_deref()?))) {
            Some((interface, url)) => self.model(interface, url),
            None => {
                self.refuse_flags_of_models()?;
                Ok(Arc::new(EchoEngine::default()))
            }
        }
    }

    fn command(&self, command: &str) -> Result<Arc<dyn Engine>, Failure> {
        if command.trim().is_empty() {
            return Err(Failure::usage("--exec needs a command").hint("for example: --exec 'claude -p'"));
        }
        if let Some(folder) = self.folder.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("{} is no folder", folder.display())));
        }
        let prompt_by = match self.prompt {
            PromptWay::Stdin => PromptBy::Stdin,
            PromptWay::Argument => PromptBy::Argument,
        };
        let form = match self.form {
            Form::Named => TranscriptForm::Named,
            Form::Jaibber => TranscriptForm::Seed,
        };
        Ok(Arc::new(ExecEngine { prompt_by, form, folder: self.folder.clone(), ..ExecEngine::new(command) }))
    }

    fn model(&self, interface: Interface, url: &str) -> Result<Arc<dyn Engine>, Failure> {
        let Some(model) = &self.model else {
            return Err(Failure::usage("a model has to be named").hint("add --model NAME, as the provider calls it"));
        };
        let mut settings = ModelSettings::new(interface, model);
        if !url.is_empty() {
            settings.base_url = url.to_owned();
        }
        settings.key = self.named_key()?.or_else(|| usual_key(interface).filter(|_| url.is_empty()));
        if settings.key.is_none() && url.is_empty() {
            let variables = interface.key_variables().join(" or ");
            return Err(Failure::usage("there is no key for this provider")
                .hint(format!("export {variables}=…, or name one with --key-env VARIABLE or --key-file FILE")));
        }
        let engine = ModelEngine::new(settings).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Arc::new(engine))
    }

    /// The key that was named.
    fn named_key(&self) -> Result<Option<Secret>, Failure> {
        if let Some(path) = &self.key_file {
            return read_key(path).map(Some);
        }
        if let Some(name) = &self.key_env {
            let key = env::var(name).ok().filter(|key| !key.trim().is_empty());
            let key = key.ok_or_else(|| Failure::usage(format!("the variable {name} holds no key")))?;
            return Ok(Some(Secret::new(&key)));
        }
        Ok(None)
    }

    fn refuse_flags_of_models(&self) -> Result<(), Failure> {
        let given = [
            ("--model", self.model.is_some()),
            ("--key-env", self.key_env.is_some()),
            ("--key-file", self.key_file.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(Failure::usage(format!("{flag} is for --openai, --anthropic and --gemini"))),
            None => Ok(()),
        }
    }
}

/// The key in the provider's usual variable. It is for the provider itself: another address gets only what is named for it.
fn usual_key(interface: Interface) -> Option<Secret> {
    let key = interface.key_variables().iter().find_map(|name| env::var(name).ok());
    key.filter(|key| !key.trim().is_empty()).map(|key| Secret::new(&key))
}

fn read_key(path: &Path) -> Result<Secret, Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Failure::broken(format!("read the key in {}", path.display()), &error))?;
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("{} holds no key", path.display())));
    }
    Ok(Secret::new(&text))
}
