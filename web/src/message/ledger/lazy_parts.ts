/** Components about deliveries and runs in one bundle, loaded after the first conversation is shown. */

export { RunChip } from '../run/RunChip';
export { AnswerProblemHint } from './AnswerProblemHint';
export { LedgerLine } from './LedgerLine';
