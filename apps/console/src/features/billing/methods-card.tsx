// Payment methods of the namespace. Cards are typed in on the provider's page.
import { billing } from '@bowline/contract/operations/billing'
import type { Customer } from '@bowline/contract/schemas/billing'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Badge, Button, Text } from '../../ui/kit.ts'
import { ListCard } from '../../ui/page/list-card.tsx'
import { billingMessages as texts } from './messages.ts'
import { customerQuery, leaveForProvider } from './queries.ts'
import classes from '../../ui/page/card-rows.module.css'

type Method = Customer['payment_methods'][number]

const nameOf = ({ brand, number }: Method): string => texts.method(brand, number)

export function MethodsCard() {
  const { api } = useRuntime()
  const may = useMay('billingAddPaymentMethod')
  const customer = useQuery(customerQuery(api))
  const [removing, setRemoving] = useState<Method>()
  const invalidates = [keys.billing]
  const add = useAction({ call: () => leaveForProvider(api, 'payment_method'), failed: texts.portalFailed })
  const prefer = useAction({
    call: ({ id }: Method) => api.call(billing.setDefaultPaymentMethod, { body: { id } }),
    done: (method) => texts.madeDefault(nameOf(method)),
    failed: texts.makeDefaultFailed,
    invalidates,
  })
  const remove = useAction({
    call: ({ id }: Method) => api.call(billing.detachPaymentMethod, { body: { id } }),
    done: (method) => texts.methodRemoved(nameOf(method)),
    failed: texts.removeMethodFailed,
    invalidates,
  })
  const { isError, error, refetch } = customer
  const methods = customer.data === undefined ? undefined : (customer.data?.payment_methods ?? [])
  return (
    <ListCard
      query={{ data: methods, isError, error, refetch }}
      texts={CARD}
      may={may}
      onCreate={() => void add.run(undefined)}
      renderRow={(method) => (
        <li key={method.id} className={classes['row']}>
          <div className={classes['facts']}>
            <Text size="sm">
              {nameOf(method)} {method.default ? <Badge variant="default">{texts.isDefault}</Badge> : null}
            </Text>
            <Text size="xs" c="dimmed">
              {texts.expires(String(method.exp_month).padStart(2, '0'), method.exp_year)}
            </Text>
          </div>
          <div className={classes['actions']}>
            {method.default ? null : (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={texts.makeDefaultNamed(nameOf(method))}
                onClick={() => void prefer.run(method)}
              >
                {texts.makeDefault}
              </Button>
            )}
            <GatedAction
              may={may}
              why={texts.ownerOnly}
              label={texts.removeMethodNamed(nameOf(method))}
              hint={texts.removeMethod}
              onClick={() => setRemoving(method)}
            >
              <Trash2 size={15} aria-hidden />
            </GatedAction>
          </div>
        </li>
      )}
    >
      <Confirm
        opened={removing !== undefined}
        title={removing ? texts.removeMethodTitle(nameOf(removing)) : ''}
        action={texts.removeMethod}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeMethodText}</Text>
      </Confirm>
    </ListCard>
  )
}

const CARD = {
  title: texts.methods,
  text: texts.methodsText,
  create: texts.addMethod,
  roleTooLow: texts.ownerOnly,
  loadFailed: texts.methodsFailed,
  none: texts.noMethods,
}
