// What pages may use without an import.
import MDXComponents from '@theme-original/MDXComponents'
import { Bench } from '../../components/bench.tsx'
import { Board } from '../../components/board.tsx'
import { Card, Cards } from '../../components/cards.tsx'
import { Only } from '../../components/edition.tsx'
import { Endpoint } from '../../components/endpoint.tsx'
import { InstallCommand } from '../../components/install-command.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { Permissions } from '../../components/permissions.tsx'
import { Settings } from '../../components/settings.tsx'
import { TryIt } from '../../components/try-it.tsx'

export default {
  ...MDXComponents,
  Bench,
  Board,
  Card,
  Cards,
  Endpoint,
  InstallCommand,
  NotYet,
  Only,
  Permissions,
  Settings,
  TryIt,
}
