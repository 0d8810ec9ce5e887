import type { Aggregate as AggregateShape, Claim as ClaimShape, Group, Profile as ProfileShape } from '@gantt/scheduler-core'
import type { DecisionView } from '../../services/decision/decisions.ts'
import type { Examined } from '../../services/explanation/examined.ts'
import type { HostView } from '../../services/host/host-view.ts'
import type { Dated } from '../../services/moments/dated.ts'
import type { ProfileView } from '../../services/profile/profiles.ts'
import { builder } from '../builder.ts'

/** Types that several files refer to. The fields of each type are defined in the file of its module. */
export const Host = builder.objectRef<HostView>('Host')
export const Aggregate = builder.objectRef<Dated<AggregateShape>>('Aggregate')
export const Claim = builder.objectRef<Dated<ClaimShape>>('Claim')
export const Decision = builder.objectRef<DecisionView>('Decision')
export const Explanation = builder.objectRef<Examined>('Explanation')
export const Profile = builder.objectRef<ProfileView>('Profile')
export const ProfileVersion = builder.objectRef<Dated<ProfileShape>>('ProfileVersion')
export const ServerGroup = builder.objectRef<Group>('ServerGroup')
