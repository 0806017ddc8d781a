-- The owner for whom the sends of an organization count, so that several organizations of one person share one plan. Null, for one
-- that the previous release makes meanwhile: it counts alone.
alter table organizations add column plan_owner_id uuid references users;
update organizations set plan_owner_id = (
  select user_id from memberships
  where organization_id = organizations.id and role = 'owner'
  order by joined_at, user_id
  limit 1
);
create index organizations_by_plan_account on organizations (coalesce(plan_owner_id, id));
