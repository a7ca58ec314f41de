// The server of boardgame.io with a counter for a game: `node server.mjs PORT [DIRECTORY]`.
//
// Every player is active, and no move can be undone. With a directory it stores matches in files,
// without one in memory. GET /heap collects garbage, and answers with the used bytes of the heap
// (`node --expose-gc`).

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { ActivePlayers } = require('boardgame.io/core')
const { FlatFile, Server } = require('boardgame.io/server')

const [port, directory] = process.argv.slice(2)

const counter = {
  name: 'counter',
  disableUndo: true,
  setup: () => ({ count: 0 }),
  turn: { activePlayers: ActivePlayers.ALL },
  moves: {
    move: ({ G }, _made) => {
      G.count += 1
    },
  },
}

const db = directory ? new FlatFile({ dir: directory }) : undefined
const server = Server({ games: [counter], origins: [], ...(db && { db }) })

server.router.get('/heap', ctx => {
  globalThis.gc()
  ctx.body = { bytes: process.memoryUsage().heapUsed }
})

// Otherwise it would listen on every address of the machine.
const listen = server.app.listen
server.app.listen = (number, done) => listen.call(server.app, number, '127.0.0.1', done)
await server.run(Number(port))
