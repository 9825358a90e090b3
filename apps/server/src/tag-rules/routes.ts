// Routes of tag rules.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { create, list, remove, update } from './service.ts'
import { tryChange } from './trial.ts'

/** @param wake starts the work on what a rule changes */
export function tagRuleRoutes(wake: () => void): Route[] {
  const { tagRules } = operations
  const then = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done
    wake()
    return result
  }
  return [
    memberRoute(tagRules.list, (ctx) => list(ctx)),
    memberRoute(tagRules.create, (ctx, { body }) => then(create(ctx, body))),
    memberRoute(tagRules.tryChange, (ctx, { body }) => tryChange(ctx, body)),
    memberRoute(tagRules.update, (ctx, { params, body }) => then(update(ctx, params.id, body))),
    memberRoute(tagRules.remove, (ctx, { params }) => then(remove(ctx, params.id))),
  ]
}
