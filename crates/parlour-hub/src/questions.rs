//! Questions of blocking messages: how they are asked, what counts as an answer, and what follows from their end.

mod asking;
mod answer_rules;
mod reply;
mod schema;
mod settle;

pub(crate) use self::{
    answer_rules::{asks, check_answer, is_person},
    reply::Reply,
    schema::AnswerSchema,
};
