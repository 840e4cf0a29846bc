//! What a model may see: gathering it, and making packs of it.
//!
//! | part | does |
//! |---|---|
//! | `aim` | looks up what a request names |
//! | `eyes` | who looks: the agent, and the person who asks for it; what one of them may not read does not exist |
//! | `gather` | reads from the store what comes into question: `blocks`, `unread`, `talks`, `found`, `cards`, `files`, `previous` |
//! | `gathered` | what was found, each thing once, with all reasons |
//! | `places` | what conversations are called |
//! | `rules` | budgets, weights, and the check of what a project sets |
//! | `workshop` | what is kept between packs: redactors, prepared texts, texts of files |
//! | `making` | the work of the processor: preparing, ranking, fitting, writing |
//! | `telling` | what is told of given messages at checkpoints, with results of tools, and at the end of a run |
//! | `summing` | what stands for the part of a conversation that is not shown |
//! | `stands` | what stood for conversations in the pack before, while it holds |
//! | `drafts` | a pack that was fitted |
//! | `told` | what a model has been given before |
//! | `usage` | what the usage of a run says about how a model counts |
//! | `views` | whole messages for models, without what the rules take out |
//! | `items` | what may be shown, as candidates with what they were made of |
//! | `list` | the conversation itself, where a model is given it as a list |
//! | `wanted` | what an answer is to look like, where a list has no field for it |
//! | `valued` | how the messages of a list are valued |
//! | `kept` | a list as it is kept with its run |
//! | `preview` | a message as one line, for people |
//! | `reranking` | a reranker is asked within a time limit |

mod aim;
mod blocks;
mod cards;
mod drafts;
mod ended;
mod eyes;
mod files;
mod found;
mod gather;
mod gathered;
mod items;
mod kept;
mod list;
mod making;
mod places;
mod preview;
mod previous;
mod reranking;
mod rules;
mod stands;
mod stock;
mod summing;
mod talks;
mod telling;
mod told;
mod unread;
mod usage;
mod valued;
mod views;
mod wanted;
mod workshop;

pub(crate) use eyes::Eyes;
pub(crate) use gather::{Aim, gather};
pub(crate) use kept::with_list;
pub(crate) use list::guard;
pub(crate) use making::{Making, Outcome, Unmade, day_of};
pub(crate) use rules::Rules;
pub(crate) use stands::{Previous, Stand};
pub(crate) use telling::{News, Telling, Why};
pub(crate) use workshop::{PackKey, Workshop};
