// Table of roles and permissions in a namespace, from the contract.
import { PERMISSIONS, ROLES } from '@bowline/contract/roles'
import type { ReactElement } from 'react'
import { Table } from './table.tsx'

/** `firewallTagAdd` → `firewall tag add`. */
const words = (permission: string): string => permission.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export function Permissions(): ReactElement {
  return (
    <Table>
      <thead>
        <tr>
          <th>Permission</th>
          {ROLES.map((role) => (
            <th key={role}>{role}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(PERMISSIONS).map(([permission, roles]) => (
          <tr key={permission}>
            <td>{words(permission)}</td>
            {ROLES.map((role) => (
              <td key={role}>{roles.some((one) => one === role) ? 'yes' : '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
