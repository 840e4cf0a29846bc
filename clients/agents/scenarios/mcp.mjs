// A coding agent that is connected to the hub's MCP server by its own configuration: it reads its inbox and replies.

import { contains } from '../scripted_model.mjs'
import { AGENT, call, url } from '../stage.mjs'

/** Connects the program, runs one turn with two tool calls, and returns what was observed. */
export async function observeMcp(stage) {
  const { program, model, project } = stage
  const { token } = await call('POST', '/agents', { project_id: project.id, name: AGENT })
  const { files = {}, command, environment } = program.mcp(stage, { url: `${url}/mcp`, token })
  await stage.write(files)
  if (command) await stage.startProgram(command).expectSuccess()
  const first = await project.post(`@${AGENT} a message in the inbox`)
  const second = await project.post(`@${AGENT} another message in the inbox`)
  const reply = { channel_id: 'general', body: 'Here is the answer.', reply_to: second.id }
  model.says({ texts: ['Looking.'], call: program.mcpCall('inbox', {}) })
  model.says({ call: program.mcpCall('post_message', reply) })
  model.says({ texts: ['Finished.'] })
  const process = stage.startTurn('Read your inbox.', environment)
  const afterInbox = await process.expect(model.turn(1))
  await process.expectSuccess()
  const deliveries = await stage.deliveryStates([first, second])
  return {
    polls: contains(afterInbox, first.body) && contains(afterInbox, second.body),
    answers: deliveries[0] !== 'answered' && deliveries[1] === 'answered',
    details: { deliveries },
  }
}
