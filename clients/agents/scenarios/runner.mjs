// A coding agent as the program of `parlour agent`: a mention starts it, and a blocking message pauses it.

import { gate } from '../gate.mjs'
import { differentMessages } from '../ledger.mjs'
import { contains } from '../scripted_model.mjs'
import { AGENT } from '../stage.mjs'

/** Runs one answer with a pause and returns what was observed. */
export async function observeRunner(stage) {
  const { program, model, project, journal } = stage
  const runner = stage.startParlour('agent', '--name', AGENT, ...program.runner)
  const agent = await runner.expect(stage.agent())
  const [piece, step] = [gate(), gate()]
  model.says({ texts: ['First ', 'step.'], held: piece.opened, call: program.shell('touch one') })
  model.says({ texts: ['Second ', 'step.'], held: step.opened, call: program.shell('touch two') })
  model.says({ texts: ['blue'] })
  model.says({ texts: ['Finished.'] })
  const mention = await project.post(`@${AGENT} please work`)
  const prompt = await runner.expect(model.turn(0))
  const isAnswer = ({ name, frame }) => name === 'messaging.posted' && frame.data.reply_to === mention.id
  const answer = (await runner.expect(journal.until(isAnswer))).frame.data
  const shows = text => runner.expect(journal.until(() => journal.textOf(answer).includes(text)))
  if (program.streams?.pieces) await shows('First')
  piece.open()
  await runner.expect(model.turn(1))
  if (program.streams) await shows('First step.')

  const question = await project.post(`@${AGENT} which colour?`, { blocking: true })
  await runner.expect(journal.until(({ name }) => name === 'runs.paused'))
  step.open()
  await runner.expect(
    journal.until(({ name, frame }) => name === 'messaging.question' && frame.data.message_id === question.id),
  )
  const hasRunPaused = await stage.hasRun('two')
  const isFinished = ({ name, frame }) => name === 'messaging.finished' && frame.data.id === answer.id
  const finished = (await runner.expect(journal.until(isFinished))).frame.data

  const messages = [mention, question]
  const deliveries = await stage.deliveryStates(messages)
  return {
    wakes: contains(prompt, mention.body),
    streams: Boolean(program.streams),
    pauses: !hasRunPaused && (await stage.hasRun('two')),
    answers:
      finished.state === 'complete' &&
      finished.body.endsWith('Finished.') &&
      deliveries.join() === 'answered,answered' &&
      (await stage.answerTo(question)) === 'blue' &&
      (await stage.openCalls(agent)).length === 0,
    reports: finished.steps?.length === 2 && finished.usage?.output_tokens > 0,
    records: (await differentMessages(stage, agent, messages)).length === 0,
    details: { deliveries, finished },
  }
}
