// A way to the hub that adds a token to every request, for programs that cannot send one.

import { once } from 'node:events'
import http from 'node:http'

export async function openProxy(target, token) {
  const { hostname, port } = new URL(target)
  const server = http.createServer((request, answer) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const onward = http.request({ hostname, port, method: request.method, path: request.url, headers }, response => {
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}
