// The last requests of a tunnel, as they come.
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { useQuery } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Stack, Text } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { tunnelsMessages as texts } from './messages.ts'
import { tunnelRequestsQuery } from './queries.ts'
import classes from './tunnels.module.css'

export function TunnelRequests({ tunnel }: { readonly tunnel: Tunnel }) {
  const { api } = useRuntime()
  const [paused, setPaused] = useState(false)
  const query = useQuery(tunnelRequestsQuery(api, tunnel, paused))
  if (query.isError && !query.data) {
    return <ErrorPanel title={texts.requestsFailed} error={query.error} onRetry={() => query.refetch()} />
  }
  return (
    <Stack gap="sm">
      <div className={classes['watch']}>
        <Text size="sm" aria-live="polite">
          {paused ? texts.isPaused : texts.requestsText}
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={paused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
          onClick={() => setPaused(!paused)}
        >
          {paused ? texts.resume : texts.pause}
        </Button>
      </div>
      {query.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.noRequests}
        </Text>
      ) : null}
      {query.data && query.data.length > 0 ? (
        <div className={classes['requests']}>
          <table>
            <thead>
              <tr>
                {Object.entries(texts.columns).map(([column, label]) => (
                  <th key={column} scope="col" data-column={column}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {query.data.map((request) => (
                <tr key={request.id}>
                  <td title={request.path}>
                    <span className={classes['path']}>
                      {request.method} {request.path}
                    </span>
                  </td>
                  <td data-column="status" data-failed={request.status >= 400 || undefined}>
                    {request.status || '–'}
                  </td>
                  <td data-column="bytes">{formatCount(request.bytes_out)}</td>
                  <td data-column="took">{texts.took(request.milliseconds)}</td>
                  <td data-column="source">{request.source}</td>
                  <td data-column="time">
                    <TimeAgo time={request.started_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </Stack>
  )
}
