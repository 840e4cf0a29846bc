// A session of a coding agent with the hook of Parlour: one prompt of its user, and messages that arrive while it works.

import { gate } from '../gate.mjs'
import { differentMessages, differentTexts } from '../ledger.mjs'
import { contains } from '../scripted_model.mjs'
import { AGENT } from '../stage.mjs'

/** A hook reports deliveries after its output, so the last report may arrive after the end of the session. */
const REPORT_SECONDS_MAX = 10

/** Installs the hook, runs the session, removes the hook, and returns what was observed. */
export async function observeHook(stage) {
  const { hook } = stage.program
  const before = await stage.snapshot()
  await stage.parlour('hook', 'install', hook, '--agent', AGENT, '--yes')
  const installed = await stage.snapshot()
  const session = await runSession(stage)
  await stage.parlour('hook', 'uninstall', hook, '--yes')
  const after = await stage.snapshot()
  const isRestored = name => before.get(name)?.toString() === after.get(name)?.toString()
  return { ...session, restores: [...installed.keys()].every(isRestored) }
}

async function runSession(stage) {
  const { program, model, project } = stage
  const agent = await stage.agent()
  const posted = { first: await project.post(`@${AGENT} remember the first thing`) }
  const [reading, writing] = [gate(), gate()]
  model.says({ texts: ['Reading.'], held: reading.opened, call: program.shell('touch one') })
  model.says({ texts: ['Writing.'], held: writing.opened, call: program.shell('touch two') })
  model.says({ call: () => program.shell(handle(model, 'Answer', posted.question, 'blue')) })
  model.says({ call: () => repeatTool() })
  model.says({ call: () => program.shell(handle(model, 'Reply', posted.second, 'The second thing is done.')) })
  model.says({ texts: ['Finished.'] })
  // The first request after the answer: until then the tool must not have run.
  let hasRunPaused = true
  const repeatTool = async () => {
    hasRunPaused = await stage.hasRun('two')
    return program.shell('touch two')
  }
  const process = stage.startTurn('Start to work.')

  const prompt = await process.expect(model.turn(0))
  posted.second = await project.post(`@${AGENT} and a second thing`)
  reading.open()
  const next = await process.expect(model.turn(1))
  posted.question = await project.post(`@${AGENT} which colour?`, { blocking: true })
  writing.open()
  const paused = await process.expect(stage.journal.until(({ name }) => name === 'runs.paused'))
  await process.expectSuccess()
  await stage.journal.until(({ name, frame }) => name === 'runs.ended' && frame.data.id === paused.frame.data.id)

  const messages = Object.values(posted)
  const texts = await differentTexts(stage, agent)
  const deliveries = await stage.deliveryStates(messages, REPORT_SECONDS_MAX)
  return {
    injects: contains(prompt, posted.first.body),
    steers: contains(next, posted.second.body),
    pauses: !hasRunPaused && (await stage.hasRun('two')),
    answers:
      deliveries.join() === 'seen,answered,answered' &&
      (await stage.answerTo(posted.question)) === 'blue' &&
      (await stage.openCalls(agent)).join() === posted.first.id,
    records:
      texts.notGiven.length + texts.notKept.length === 0 &&
      (await differentMessages(stage, agent, messages)).length === 0,
    details: { deliveries, texts },
  }
}

/** The command that the newest injection with this handle offers for a message, with the text filled in. */
function handle(model, label, message, text) {
  const lines = model.requests.flatMap(request => request.strings).flatMap(string => string.split('\n'))
  const line = lines.findLast(one => one.includes(`${label}: `) && one.includes(message.id))
  if (!line) throw new Error(`no injection has the handle "${label}" of ${message.id}`)
  const command = line.slice(line.indexOf(`${label}: `) + label.length + 2).split('</')[0]
  return command.replace(/'your (answer|text)'/, `'${text}'`)
}
