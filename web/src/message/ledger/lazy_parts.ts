/** Parts of messages about deliveries and runs: one file for all, loaded after the first conversation is shown. */

export { RunChip } from '../run/RunChip';
export { AnswerProblemHint } from './AnswerProblemHint';
export { LedgerLine } from './LedgerLine';
