import { QueryClient, QueryObserver, notifyManager } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepErrors } from './keep-errors.ts'

let client: QueryClient
let answers: PromiseWithResolvers<string>[]
beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  answers = []
  keepErrors(client.getQueryCache())
})
afterEach(() => client.clear())

const options = {
  queryKey: ['list'],
  queryFn: () => {
    const answer = Promise.withResolvers<string>()
    answers.push(answer)
    return answer.promise
  },
}
/** Lets the query take its answer, and its observers hear of it. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve))

it('keeps the error of the last fetch while the next one is under way, and drops it when that succeeds', async () => {
  const seen: string[] = []
  const observer = new QueryObserver(client, options)
  // Reads the current result when notified, like React's hook.
  const stop = observer.subscribe(notifyManager.batchCalls(() => seen.push(observer.getCurrentResult().status)))
  answers[0]?.reject(new Error('no answer'))
  await settle()
  const again = observer.refetch()
  await settle()
  expect(observer.getCurrentResult()).toMatchObject({
    status: 'error',
    error: new Error('no answer'),
    isFetching: true,
  })
  answers[1]?.resolve('rows')
  await again
  await settle()
  expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: 'rows', error: null })
  expect(seen.filter((status, at) => status !== seen[at - 1])).toEqual(['error', 'success'])
  stop()
})

it('shows the newer error when the next fetch fails too', async () => {
  const observer = new QueryObserver(client, options)
  const stop = observer.subscribe(() => {})
  answers[0]?.reject(new Error('no answer'))
  await settle()
  const again = observer.refetch()
  answers[1]?.reject(new Error('refused'))
  await again
  expect(observer.getCurrentResult()).toMatchObject({ status: 'error', error: new Error('refused'), isFetching: false })
  stop()
})
