-- Health of a Stack of the Pulumi Kubernetes Operator (operator/api/pulumi/v1/stack_types.go).
local health = { status = "Progressing", message = "waiting for the Pulumi Kubernetes Operator" }
local status = obj.status
-- What the status tells is of an earlier generation: the operator has not seen the last change.
if status == nil or (status.observedGeneration or 0) < (obj.metadata.generation or 0) then
  return health
end
for _, condition in ipairs(status.conditions or {}) do
  if condition.status == "True" then
    if condition.type == "Ready" then
      return { status = "Healthy", message = condition.message or "" }
    elseif condition.type == "Stalled" then
      return { status = "Degraded", message = condition.message or "" }
    elseif condition.type == "Reconciling" then
      health.message = condition.message or health.message
    end
  end
end
-- It tries again by itself, but somebody should look at what failed.
local update = status.lastUpdate or {}
if update.state == "failed" and update.generation == obj.metadata.generation then
  return { status = "Degraded", message = update.message or health.message }
end
return health
