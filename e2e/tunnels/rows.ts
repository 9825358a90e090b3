// All rows of the board.
import type { Row } from './row.ts'
import { eventRows } from './rows/events.ts'
import { grpcRows } from './rows/grpc.ts'
import { http2Rows } from './rows/http2.ts'
import { httpRows } from './rows/http.ts'
import { webSocketRows } from './rows/websocket.ts'

export const rows: readonly Row[] = [...httpRows, ...eventRows, ...http2Rows, ...grpcRows, ...webSocketRows]
