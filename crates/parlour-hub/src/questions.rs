//! Questions of blocking messages: how they are asked, what counts as an answer, and what follows from their end.

mod asking;
mod may_answer;
mod reply;
mod schema;
mod settle;

pub(crate) use self::{
    may_answer::{asks, check_answer, is_person},
    reply::Reply,
    schema::AnswerSchema,
};
