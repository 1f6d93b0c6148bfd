-- Health of a ManifestWork of Open Cluster Management (api/work/v1/types.go).
local health = { status = "Progressing", message = "waiting for the managed cluster's work agent" }
local found = {}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  -- What is told of an earlier generation is not about the last change.
  if (condition.observedGeneration or 0) >= (obj.metadata.generation or 0) then
    found[condition.type] = condition
  end
end
local applied, available = found["Applied"], found["Available"]
if applied == nil then
  return health
elseif applied.status == "False" then
  return { status = "Degraded", message = applied.message or "" }
elseif applied.status == "True" and available ~= nil then
  if available.status == "True" then
    return { status = "Healthy", message = available.message or "" }
  elseif available.status == "False" then
    return { status = "Degraded", message = available.message or "" }
  end
end
return health
