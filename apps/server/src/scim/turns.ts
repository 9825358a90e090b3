// Turns of the changes that providers make. Those of one namespace would wait for its row anyway, each of them with a
// connection of the database that the calls of others need: here they wait without one.
import { NamespaceTurns } from '../platform/namespace-turns.ts'

export class ScimTurns extends NamespaceTurns {
  constructor() {
    // Fewer namespaces than there are connections. What is refused, providers repeat.
    super({ own: { atOnce: 1, waiting: 20 }, all: { atOnce: 4, waiting: 200 } })
  }
}
