// A proxy that refuses every request and records its target. The programs get it as their proxy for everything except
// loopback, so a test can show that they contacted nobody else.

import { once } from 'node:events'
import http from 'node:http'

export async function refuseOutsideTraffic() {
  const attempts = []
  const server = http.createServer((request, response) => {
    attempts.push(request.url)
    response.writeHead(403).end()
  })
  server.on('connect', (request, socket) => {
    attempts.push(request.url)
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const near = '127.0.0.1,localhost'
  const environment = {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: near,
    no_proxy: near,
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { attempts, environment, close }
}
