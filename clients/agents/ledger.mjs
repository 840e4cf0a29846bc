// The hub keeps every text that it gave to the model of a run. This compares the kept texts with the recorded requests.

import { call } from './stage.mjs'

/** Every text of the hub begins with this mark and a checksum. */
const MARK = '[Parlour '

/** The kept texts that no request contains, and the strings of requests with a text that the hub did not keep. */
export async function differentTexts(stage, agent) {
  const kept = (await keptInjections(stage, agent)).map(({ text }) => text)
  const strings = unique(
    requestStrings(stage)
      .filter(one => one.includes(MARK))
      .map(unescaped),
  )
  const notGiven = kept.filter(text => !strings.some(string => string.includes(text)))
  const rest = strings.map(string => kept.reduce((left, text) => left.replaceAll(text, ''), string))
  return { notGiven, notKept: rest.filter(string => string.includes(MARK)) }
}

/** Those of the messages that are kept but in no request, or in a request but not kept. */
export async function differentMessages(stage, agent, messages) {
  const items = (await keptInjections(stage, agent)).flatMap(({ receipt }) => receipt.items)
  const kept = new Set(items.filter(item => item.level && item.level !== 'handle').map(({ id }) => id))
  const strings = requestStrings(stage).map(unescaped)
  const isGiven = ({ body }) => strings.some(string => string.includes(body))
  return messages.filter(message => kept.has(message.id) !== isGiven(message)).map(({ body }) => body)
}

async function keptInjections(stage, agent) {
  const runs = await call('GET', `/runs?project_id=${stage.project.id}&agent_id=${agent.id}`)
  const pages = await Promise.all(runs.items.map(({ id }) => call('GET', `/runs/${id}/injections`)))
  return pages.flatMap(({ items }) => items)
}

const requestStrings = stage => stage.model.requests.flatMap(request => request.strings)

const unique = list => [...new Set(list)]

/** Some programs escape the texts of hooks. */
const unescaped = string => string.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
